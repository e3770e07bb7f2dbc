/* program_text.h - the program's --help and --version on standard output. */
#ifndef PHI3SAT_REPORT_PROGRAM_TEXT_H
#define PHI3SAT_REPORT_PROGRAM_TEXT_H

#include <stddef.h>

#include "../base/error.h"

struct program_text_row {
    const char *name, *does;
};

/* STATUS_OUTPUT when standard output fails. */
enum status program_text_help(const struct program_text_row *rows, size_t count, struct error *e) ERROR_MUST_USE;

/* build: version and commit. kernels[count]: the sets that run here, with --verbose; none without. */
enum status program_text_version(const char *build, const char *const *kernels, size_t count,
                                 struct error *e) ERROR_MUST_USE;

#endif
