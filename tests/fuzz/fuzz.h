/* fuzz.h - what a fuzz target is, and what it may call.
 *
 * Flow: bytes (a corpus, a mutator, libFuzzer) -> *a target* -> functions of the program, which must accept or
 * refuse them. A target is fuzz_NAME.c with LLVMFuzzerTestOneInput and, where sizes and counts have to stay nearly right, with
 * LLVMFuzzerCustomMutator. In a usual build it is linked with replay.c; --with-fuzz-engine takes libFuzzer instead.
 *
 * One run is: fuzz_begin, the program's functions, fuzz_accepted or fuzz_refused once, everything closed,
 * fuzz_end. What must hold of each run is checked here: a refusal is one line and cost little memory, nothing stays allocated.
 */
#ifndef PHI3SAT_TESTS_FUZZ_H
#define PHI3SAT_TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* libFuzzer's side of it. The two last are optional. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max); /* the engine's own mutator, for a custom one */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);
int LLVMFuzzerInitialize(int *argc, char ***argv);

/* Begins a run on data[size], which stays as it is until fuzz_end. */
void fuzz_begin(const uint8_t *data, size_t size);

/* Writes a file of that name into the target's own folder and returns its path, which stays valid for some calls. The
 * folder is in memory where the system has one (/dev/shm), else in TMPDIR. `name` may be "part/file". */
const char *fuzz_put(const char *name, const void *bytes, size_t size);
void fuzz_remove(const char *name);
const char *fuzz_folder(void);

/* How much memory may be taken before bytes are refused: factor * size + constant. Preset: 16 times and 64 KiB. */
void fuzz_memory_bound(size_t factor, size_t constant);

/* The verdict. A refusal has to be of the input (STATUS_INPUT, STATUS_USAGE), in one line, and within the bound of memory. */
void fuzz_accepted(void);
void fuzz_refused(const struct error *e);

/* What else must hold of whatever was accepted: says the sentence and aborts when it doesn't. */
void fuzz_claim(bool holds, const char *format, ...) ERROR_PRINTF(2, 3);

/* Ends the run: nothing of base/memory.c's is still held. Always 0, for `return fuzz_end();`. */
int fuzz_end(void);

/* For replay.c. */
struct fuzz_counts {
    size_t runs, accepted, refused;
    size_t peak;       /* bytes of the run that took the most              */
    double refused_most; /* times the input's size, of refused inputs of 1 KiB and more */
};

struct fuzz_counts fuzz_counts(void);

/* Removes the target's folder; safe in a signal handler. */
void fuzz_leave(void);

#endif
