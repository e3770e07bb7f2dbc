/* bench_matvec.h - `phi3sat bench matvec`: products of a few rows with repacked weights, between two roofs. */
#ifndef PHI3SAT_COMMANDS_BENCH_MATVEC_H
#define PHI3SAT_COMMANDS_BENCH_MATVEC_H

#include "../base/options.h"

extern const struct options_table bench_matvec_options;

/* STATUS_USAGE for a wrong option, STATUS_OUTPUT when standard output can't be written. */
enum status bench_matvec_command(int argc, char **argv, struct error *e) ERROR_MUST_USE;

#endif
