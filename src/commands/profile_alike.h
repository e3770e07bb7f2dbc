/* profile_alike.h - what the profiler checks of hosts before the work, with what it says of outputs that stay on one. */
#ifndef PHI3SAT_COMMANDS_PROFILE_ALIKE_H
#define PHI3SAT_COMMANDS_PROFILE_ALIKE_H

#include "../cluster/alike.h"
#include "profile_options.h"

/* Collective, the outputs having been checked. The model's header, then the outputs' folder. A checkpoint that only rank 0's
 * host sees is of no use to a job that a batch system may start again elsewhere: STATUS_OUTPUT; else a warning. */
enum status profile_alike_check(const struct profile_options *o, const struct ranks *r, const struct model_file *file,
                                struct error *e) ERROR_MUST_USE;

/* Warns of each of the model's files that has been written to while it was in use: maps change with their files. */
void profile_alike_changed(const struct model_file *file);

#endif
