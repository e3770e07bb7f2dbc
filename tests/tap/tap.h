/* tap.h - our small TAP harness for unit tests.
 *
 * A test program makes one claim a line ("merging nothing changes nothing") and ends
 * with `return tap_done();`. The plan may be given first, or is printed by tap_done.
 * Checks return whether they held, so that a test can stop early. Not thread-safe:
 * check in the main thread. The names are short, for they stand on every line.
 */
#ifndef PHI3SAT_TESTS_TAP_H
#define PHI3SAT_TESTS_TAP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define TAP_FORMAT(n) __attribute__((format(printf, n, n + 1)))

/* Announces `count` points; without it tap_done prints the plan. */
void plan(int count);

/* Says that no point is made at all and ends the program with success. */
void skip_all(const char *reason, ...) TAP_FORMAT(1) __attribute__((noreturn));

/* One point each; `claim` is a printf format. A failure shows both values. */
#define ok(condition, ...) tap_ok((condition), __FILE__, __LINE__, __VA_ARGS__)
#define is_int(got, wanted, ...) tap_is_int((got), (wanted), __FILE__, __LINE__, __VA_ARGS__)
#define is_uint(got, wanted, ...) tap_is_uint((got), (wanted), __FILE__, __LINE__, __VA_ARGS__)
/* |got - wanted| <= tolerance; two NaN are equal, as are infinities of one sign. */
#define is_double(got, wanted, tolerance, ...) \
    tap_is_double((got), (wanted), (tolerance), __FILE__, __LINE__, __VA_ARGS__)
#define is_string(got, wanted, ...) tap_is_string((got), (wanted), __FILE__, __LINE__, __VA_ARGS__)
#define is_bytes(got, wanted, size, ...) tap_is_bytes((got), (wanted), (size), __FILE__, __LINE__, __VA_ARGS__)

/* `count` points that cannot be made here, and why. */
void skip(int count, const char *reason, ...) TAP_FORMAT(2);

/* A comment line in the log. */
void diag(const char *format, ...) TAP_FORMAT(1);

/* Ends the program at once: nothing that follows would mean anything. */
void bail(const char *reason, ...) TAP_FORMAT(1) __attribute__((noreturn));

/* Prints the plan if none was given; 0 when all points held and their number is right. */
int tap_done(void) __attribute__((warn_unused_result));

/* "SOURCE/name", the full path of a file of the tree. The caller frees it. */
char *tap_source(const char *name);
/* "SHARED/name", or NULL where the goldens beside the tree are not there. The caller frees it. */
char *tap_shared(const char *name);
/* A new empty folder below TMPDIR, removed with all it holds at exit. Stays valid; one a program. */
const char *tap_folder(void);
/* Whether `make check-long` is running. */
bool tap_long(void);

bool tap_ok(bool held, const char *file, int line, const char *claim, ...) TAP_FORMAT(4);
bool tap_is_int(int64_t got, int64_t wanted, const char *file, int line, const char *claim, ...) TAP_FORMAT(5);
bool tap_is_uint(uint64_t got, uint64_t wanted, const char *file, int line, const char *claim, ...) TAP_FORMAT(5);
bool tap_is_double(double got, double wanted, double tolerance, const char *file, int line, const char *claim, ...)
    TAP_FORMAT(6);
bool tap_is_string(const char *got, const char *wanted, const char *file, int line, const char *claim, ...)
    TAP_FORMAT(5);
bool tap_is_bytes(const void *got, const void *wanted, size_t size, const char *file, int line, const char *claim, ...)
    TAP_FORMAT(6);

#endif
