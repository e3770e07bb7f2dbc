/* bench_ffn.h - `phi3sat bench ffn`: one layer's FFN in four variants, and which is worth building. */
#ifndef PHI3SAT_COMMANDS_BENCH_FFN_H
#define PHI3SAT_COMMANDS_BENCH_FFN_H

#include "../base/error.h"

/* Collective under mpirun; `argv[0]` is the subcommand's word. STATUS_VERDICT with --strict when a variant is rejected. */
enum status bench_ffn_command(int argc, char **argv, struct error *e) ERROR_MUST_USE;

#endif
