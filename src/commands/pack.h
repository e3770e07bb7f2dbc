/* pack.h - `phi3sat pack`: a model in, a .knot file out. */
#ifndef PHI3SAT_COMMANDS_PACK_H
#define PHI3SAT_COMMANDS_PACK_H

#include "../base/error.h"
#include "../base/options.h"

/* The options, for --help and the man page. */
extern const struct options_table pack_options;

/* Runs it; argv[0] is the subcommand's word. Returns the exit status; `e` is
 * filled when it isn't STATUS_OK. */
enum status pack_command(int argc, char **argv, struct error *e) ERROR_MUST_USE;

#endif
