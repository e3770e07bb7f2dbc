/* export.h - `phi3sat export`: other forms of an archive, for tools that don't read HDF5. */
#ifndef PHI3SAT_COMMANDS_EXPORT_H
#define PHI3SAT_COMMANDS_EXPORT_H

#include "../base/error.h"
#include "../base/options.h"

/* The options, for --help and the man page. Static; not thread-safe. */
const struct options_table *export_options_table(void);

/* Runs it; argv[0] is the subcommand's word. Returns the exit status; `e` is filled where it is that of an
 * error. Under a launcher one rank does the work. */
enum status export_command(int argc, char **argv, struct error *e) ERROR_MUST_USE;

#endif
