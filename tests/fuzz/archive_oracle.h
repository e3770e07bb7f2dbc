/* archive_oracle.h - reads all of an archive or a checkpoint and says what must hold of it. */
#ifndef PHI3SAT_TESTS_ARCHIVE_ORACLE_H
#define PHI3SAT_TESTS_ARCHIVE_ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Opens and reads all; `own`: by HDF5 in this process. Whatever is accepted is checked by fuzz_claim. */
enum status archive_oracle_read(const char *path, bool checkpoint, bool own, struct error *e) ERROR_MUST_USE;

/* One run of a target. */
int archive_oracle_run(const uint8_t *data, size_t size, bool checkpoint);

/* The mutator of both targets: most mutants get past the seal. */
size_t archive_oracle_mutate(uint8_t *data, size_t size, size_t max, unsigned seed);

#endif
