/* synth.h - `phi3sat synth`: a model of any shape with planted neurons. */
#ifndef PHI3SAT_COMMANDS_SYNTH_H
#define PHI3SAT_COMMANDS_SYNTH_H

#include "../base/error.h"
#include "../base/options.h"

/* The options, for --help and the man page. */
extern const struct options_table synth_options;

/* Runs it; argv[0] is the subcommand's word. Returns the exit status; `e` is filled when it isn't
 * STATUS_OK. */
enum status synth_command(int argc, char **argv, struct error *e) ERROR_MUST_USE;

#endif
