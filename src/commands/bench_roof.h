/* bench_roof.h - `phi3sat bench roof`: the machine's peaks. */
#ifndef PHI3SAT_COMMANDS_BENCH_ROOF_H
#define PHI3SAT_COMMANDS_BENCH_ROOF_H

#include "../base/error.h"
#include "../base/options.h"

/* The options, for --help and the man page. */
extern const struct options_table bench_roof_options;

/* Runs it; argv[0] is the word "roof". Returns the exit status; `e` is filled when it isn't STATUS_OK. */
enum status bench_roof_command(int argc, char **argv, struct error *e) ERROR_MUST_USE;

#endif
