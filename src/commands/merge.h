/* merge.h - `phi3sat merge`: archives of shards into the archive of one run. */
#ifndef PHI3SAT_COMMANDS_MERGE_H
#define PHI3SAT_COMMANDS_MERGE_H

#include "../base/error.h"
#include "../base/options.h"

/* The options, for --help and the man page. */
extern const struct options_table merge_options;

/* Runs it; argv[0] is the subcommand's word. Returns the exit status; `e` is filled where it is that of an
 * error. Under a launcher one rank does the work. */
enum status merge_command(int argc, char **argv, struct error *e) ERROR_MUST_USE;

#endif
