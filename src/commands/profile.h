/* profile.h - `phi3sat [profile]`: the main job. */
#ifndef PHI3SAT_COMMANDS_PROFILE_H
#define PHI3SAT_COMMANDS_PROFILE_H

#include "../base/error.h"

/* Runs it on this rank; argv[0] is the subcommand's word or the program's name. Starts MPI; main
 * ends it. Returns the exit status, the same on all ranks; `e` has a sentence unless the
 * status is STATUS_OK or STATUS_NONFINITE. */
enum status profile_command(int argc, char **argv, struct error *e) ERROR_MUST_USE;

#endif
