/* inspect.h - `phi3sat inspect`: what a model file or an archive holds. */
#ifndef PHI3SAT_COMMANDS_INSPECT_H
#define PHI3SAT_COMMANDS_INSPECT_H

#include "../base/error.h"
#include "../base/options.h"

/* The options, for --help and the man page. */
extern const struct options_table inspect_options;

/* Runs it; argv[0] is the subcommand's word. Returns the exit status; `e` is
 * filled when it isn't STATUS_OK. */
enum status inspect_command(int argc, char **argv, struct error *e) ERROR_MUST_USE;

#endif
