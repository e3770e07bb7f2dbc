/* pipeline.h - hidden states from stage to stage of a group, under way while the stages work.
 *
 * Flow: stage before -> *pipeline* -> forward_run_stage -> *pipeline* -> stage after. All stages of a group know all its
 * batches, in one order, from the schedule: a message is a batch's hidden states [rows, hidden] and nothing else. A stage holds
 * up to three batches: one that comes in, one that it works on, one that goes out. Messages move on whenever
 * pipeline_step is called (MPI moves nothing by itself), so it is called between the steps of the forward pass.
 *
 * A batch is sent in pieces, all at once: MPI copies a large message by a few fragments at a time and asks the
 * receiver in between, which would take a call of pipeline_step on both sides for each; of many pieces as many
 * go on at the same time.
 */
#ifndef PHI3SAT_CLUSTER_PIPELINE_H
#define PHI3SAT_CLUSTER_PIPELINE_H

#include "grid.h"

struct pipeline; /* opaque */

struct pipeline_plan {
    const struct ranks *ranks;
    const struct grid *grid;
    size_t layers;         /* of the model                                          */
    size_t hidden;         /* floats a row                                          */
    const size_t *rows;    /* [batches]: of each batch of this group, in order        */
    size_t batches;
    /* Asked while this rank has nothing to do but wait: true gives up waiting, for good. */
    bool (*idle)(void *context);
    void *context;
};

/* Everything in `plan` is borrowed until pipeline_close; makes room for the largest batch. Not collective: the ranks have to
 * agree before any calls pipeline_begin. With one stage there are no buffers and every call does nothing. Fails for
 * want of memory only. */
enum status pipeline_open(struct pipeline **p, const struct pipeline_plan *plan, struct error *e) ERROR_MUST_USE;

/* All stages of the group: messages may come from now on. */
void pipeline_begin(struct pipeline *p);

/* The hidden states of the next batch, received unless this is the first stage; NULL with one stage (the forward pass has
 * its own) or when waiting was given up (*given_up). */
float *pipeline_take(struct pipeline *p, bool *given_up);

/* The batch taken last has been worked on: to the next stage, if there is one. */
void pipeline_give(struct pipeline *p);

/* Moves messages on; cheap when there are none. */
void pipeline_step(struct pipeline *p);

/* Waits until all that was given has gone. False: waiting was given up. */
bool pipeline_flush(struct pipeline *p);

/* Frees it. After pipeline_begin all stages of the group call it, whether they are done or gave up; what is under way is
 * received and dropped. NULL is allowed. */
void pipeline_close(struct pipeline *p);

#endif
