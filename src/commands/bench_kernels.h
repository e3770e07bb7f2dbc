/* bench_kernels.h - `phi3sat bench kernels`: matrix products against the machine's peak. */
#ifndef PHI3SAT_COMMANDS_BENCH_KERNELS_H
#define PHI3SAT_COMMANDS_BENCH_KERNELS_H

#include "../base/error.h"
#include "../base/options.h"

/* The options, for --help and the man page. */
extern const struct options_table bench_kernels_options;

/* Runs it; argv[0] is the word "kernels". Returns the exit status; `e` is filled when it isn't STATUS_OK. */
enum status bench_kernels_command(int argc, char **argv, struct error *e) ERROR_MUST_USE;

#endif
