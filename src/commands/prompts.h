/* prompts.h - `phi3sat prompts`: prints the prompts that phi3sat makes. */
#ifndef PHI3SAT_COMMANDS_PROMPTS_H
#define PHI3SAT_COMMANDS_PROMPTS_H

#include "../base/error.h"
#include "../base/options.h"

/* The options, for --help and the man page. */
extern const struct options_table prompts_options;

/* Runs it; argv[0] is the subcommand's word. Returns the exit status; `e` is
 * filled when it isn't STATUS_OK. */
enum status prompts_command(int argc, char **argv, struct error *e) ERROR_MUST_USE;

#endif
