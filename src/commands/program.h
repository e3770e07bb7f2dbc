/* program.h - the program's own words: subcommands, --help, --version. */
#ifndef PHI3SAT_COMMANDS_PROGRAM_H
#define PHI3SAT_COMMANDS_PROGRAM_H

#include "../base/error.h"

/* Runs the subcommand that argv names; `profile` when argv[1] is an option or missing. */
enum status program_run(int argc, char **argv, struct error *e) ERROR_MUST_USE;

#endif
