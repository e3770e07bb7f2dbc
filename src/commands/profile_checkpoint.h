/* profile_checkpoint.h - what --checkpoint and --resume ask of the profiler before and after the work.
 *
 * Flow: options -> *is there a checkpoint to go on from?* -> cluster/foundation -> the run -> *exit status*.
 */
#ifndef PHI3SAT_COMMANDS_PROFILE_CHECKPOINT_H
#define PHI3SAT_COMMANDS_PROFILE_CHECKPOINT_H

#include "../cluster/ranks.h"
#include "profile_options.h"

/* Collective. *from is the checkpoint to go on from, as the options name it, on all ranks; NULL: none, the run begins
 * afresh. STATUS_INPUT: --resume names none; or what lies where checkpoints are to be written is none, and
 * would be lost. */
enum status profile_checkpoint_find(const struct profile_options *o, const struct ranks *r, const char **from,
                                    struct error *e) ERROR_MUST_USE;

/* Collective: has a signal come to any rank while the run was being prepared? Then the status that it ends with, on all
 * ranks; STATUS_OK: no. There is nothing to keep yet: a checkpoint that was there stays as it is. */
enum status profile_checkpoint_early(const struct profile_options *o) ERROR_MUST_USE;

/* Is this the status of a run that a signal has stopped? */
bool profile_checkpoint_is_stop(enum status status);

/* A run has been stopped so before its first prompt: says so. The exit status, as below. */
enum status profile_checkpoint_stopped_early(const struct ranks *r, enum status status);

/* A run has been stopped by signal `number`, a checkpoint being left: says so. The exit status, which rank 0 alone has
 * for all: STATUS_OK on the others. */
enum status profile_checkpoint_stopped(const struct profile_options *o, const struct ranks *r, int number);

#endif
