/* error.h - the one error type of phi3sat and the exit statuses.
 *
 * Every function that can fail returns `enum status` and fills its last
 * argument, a `struct error *` owned by the caller. Nothing is printed where a
 * fault is found: the error travels up to main (through the ranks' agreement
 * in cluster/), which prints one line,
 *     phi3sat: FILE: what is wrong (where); what to do
 */
#ifndef PHI3SAT_BASE_ERROR_H
#define PHI3SAT_BASE_ERROR_H

#include <stdint.h>
#include <stddef.h>

/* What a call, and in the end the process, comes to. The values are the
 * program's exit statuses (DESIGN section 3, include/phi3sat.h). */
enum status {
    STATUS_OK = 0,
    STATUS_FAILED = 1,     /* the run failed: memory, MPI, the machine        */
    STATUS_USAGE = 2,      /* wrong options                                   */
    STATUS_INPUT = 3,      /* model, prompts or archive are bad               */
    STATUS_OUTPUT = 4,     /* an output can't be written                      */
    STATUS_NONFINITE = 5,  /* done, with NaN or infinity among activations    */
    STATUS_VERDICT = 6,    /* a strict verdict was negative                   */
    STATUS_CHECKPOINT = 75, /* stopped by SIGUSR1, checkpoint left            */
    STATUS_INTERRUPTED = 130, /* ... by SIGINT                                */
    STATUS_TERMINATED = 143 /* ... by SIGTERM                                 */
};

#define ERROR_MUST_USE __attribute__((warn_unused_result))
#define ERROR_PRINTF(a, b) __attribute__((format(printf, a, b)))

/* One fault. A plain value: copied freely, sent between ranks as bytes. */
struct error {
    enum status status;
    int64_t position;    /* byte offset (or line for text) in `file`; -1 none */
    char file[512];      /* file or option concerned; "" none                 */
    char sentence[768];  /* what is wrong                                     */
    char where[256];     /* tensor, key, line ...; "" none                    */
    char advice[384];    /* what to do; "" none                               */
};

/* Makes `e` say "no error". */
void error_clear(struct error *e);

/* Fills `e` (NULL: only the status is returned) with `status` and a printf
 * sentence, no trailing period; file, where and advice become empty, position
 * -1. The arguments may not lie in `e`. Returns `status`, so that a caller writes
 * `return error_set(...)`. Thread-safe for distinct `e`. */
enum status error_set(struct error *e, enum status status, const char *format, ...) ERROR_PRINTF(3, 4);

/* Add to an error already set (NULL `e` is allowed): the file, the place, the
 * byte position, the advice. Each returns e->status, STATUS_FAILED on NULL. */
enum status error_file(struct error *e, const char *file);
enum status error_where(struct error *e, const char *format, ...) ERROR_PRINTF(2, 3);
enum status error_position(struct error *e, int64_t position);
enum status error_advice(struct error *e, const char *format, ...) ERROR_PRINTF(2, 3);

/* Replaces by '?', a byte for each byte, what could act on a terminal or break a line (escape.h): control characters,
 * what is no UTF-8, characters that turn the direction of text. For whatever may hold names from files. */
void error_printable(char *text);

/* Writes the one line (without "phi3sat: " and without newline; control
 * characters from untrusted names are shown as '?') into line[size]. */
void error_format(const struct error *e, char *line, size_t size);

#endif
