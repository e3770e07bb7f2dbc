/* pipeline.h - hidden states from stage to stage of a group, under way while the stages work.
 *
 * Flow: stage before -> *pipeline* -> forward_run_ports -> *pipeline* -> stage after. All stages of a group know all its
 * batches, in one order, from the schedule, and so all chunks that these go through a layer in: a message is a chunk's hidden
 * states [rows, hidden] and nothing else. A stage has room for up to three: one that comes in, one that it works on, one
 * that goes out. Messages move on whenever pipeline_step is called (MPI moves nothing by itself), so it is called between
 * the steps of the forward pass.
 *
 * A chunk is sent in pieces, all at once: MPI copies a large message by a few fragments at a time and asks the
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
    const size_t *rows;    /* [chunks]: of each chunk of this group's batches, in order */
    size_t chunks;
    /* Asked while this rank has nothing to do but wait: true gives up waiting, for good. */
    bool (*idle)(void *context);
    void *context;
};

/* Everything in `plan` is borrowed until pipeline_close; makes room for the largest chunks. Not collective: the ranks have to
 * agree before any calls pipeline_begin. With one stage there are no buffers; take, keep, room and give are then not called, and
 * the others do nothing. Fails for want of memory only. */
enum status pipeline_open(struct pipeline **p, const struct pipeline_plan *plan, struct error *e) ERROR_MUST_USE;

/* All stages of the group: messages may come from now on. */
void pipeline_begin(struct pipeline *p);

/* The hidden states of the next chunk, received; room for one in the first stage. NULL: waiting was given up. What take or
 * room has given is kept or given before either is called again. */
float *pipeline_take(struct pipeline *p);

/* What was taken isn't needed any more. */
void pipeline_keep(struct pipeline *p);

/* Room for the next chunk to give, or NULL: waiting was given up. */
float *pipeline_room(struct pipeline *p);

/* What lies in what take or room gave goes to the next stage, if there is one. */
void pipeline_give(struct pipeline *p);

/* Moves messages on; cheap when there are none. */
void pipeline_step(struct pipeline *p);

/* Waits until all that was given has gone. False: waiting was given up. */
bool pipeline_flush(struct pipeline *p);

/* Frees it. After pipeline_begin all stages of the group call it, whether they are done or gave up; what is under way is
 * received and dropped. NULL is allowed. */
void pipeline_close(struct pipeline *p);

#endif
