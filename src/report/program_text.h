/* program_text.h - the program's --help and --version on standard output. */
#ifndef PHI3SAT_REPORT_PROGRAM_TEXT_H
#define PHI3SAT_REPORT_PROGRAM_TEXT_H

#include <stddef.h>

#include "../base/error.h"
#include "../base/options.h"

struct program_text_row {
    const char *name, *does;
};

/* The program's own options, in the form of a command's; only what help and manual say of them is used. */
extern const struct options_table program_text_table;

/* Variables of the environment, and exit statuses; each ends with a row of NULLs. */
extern const struct program_text_row program_text_environment[], program_text_statuses[];

/* STATUS_OUTPUT when standard output fails. */
enum status program_text_help(const struct program_text_row *rows, size_t count, struct error *e) ERROR_MUST_USE;

/* The instruction sets that run here, and the one that a run would use. */
struct program_text_kernels {
    const char *const *name; /* [count]                                              */
    size_t count;
    const char *chosen;      /* NULL: nothing is said of it                            */
};

/* build: version and commit. kernels: with --verbose; none without. */
enum status program_text_version(const char *build, const struct program_text_kernels *kernels,
                                 struct error *e) ERROR_MUST_USE;

#endif
