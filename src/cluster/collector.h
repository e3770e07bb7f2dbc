/* collector.h - the observer that turns a batch's plain sums into exact state.
 *
 * Flow: forward pass -> *collector* -> accumulator. Blocks of neurons are folded by the thread
 * that made them; the lists of extremes and the first non-finite value are rare work under a lock,
 * which most prompts of most blocks are spared by a look at its floor.
 */
#ifndef PHI3SAT_CLUSTER_COLLECTOR_H
#define PHI3SAT_CLUSTER_COLLECTOR_H

#include "../model/forward.h"
#include "../stats/accumulator.h"

/* Where the first non-finite value was seen: lowest layer, then prompt, position in it, series, neuron. */
struct collector_nonfinite {
    uint64_t layer, prompt, position, series, neuron;
    uint64_t seen; /* 0: none                                                     */
};

struct collector_prompt {
    uint64_t hash[2];
    uint64_t index;    /* in the source's order, for messages                      */
    uint64_t first;    /* its token where this piece begins, for messages          */
    uint64_t samples;
    uint32_t counted;          /* layers below this one have the prompt: from a checkpoint, then by collector_settle */
    _Atomic uint32_t reached;  /* folded in the layers below this one               */
};

struct collector {
    struct accumulator state;               /* of layers [first_layer, first_layer + state.layers) */
    size_t first_layer;
    const struct kernels *kernels;
    _Atomic uint32_t *floor;                /* [layers]: magnitude, as bits, below which no value enters
                                             * the layer's list; may lag behind it  */
    struct collector_prompt *prompts;       /* [batch], set by collector_begin      */
    struct collector_nonfinite first;
};

/* For a stage's `layers` layers from `first` on; `kernels` is borrowed until collector_close. Fails for want of
 * memory only. */
enum status collector_open(struct collector *c, const struct kernels *kernels, size_t first, size_t layers,
                           size_t neurons, struct error *e) ERROR_MUST_USE;
void collector_close(struct collector *c);

/* Before a batch: who its prompts are (borrowed until the next). Layers below a prompt's `counted` fold nothing of
 * it: a checkpoint that the run goes on from has them. */
void collector_begin(struct collector *c, struct collector_prompt *prompts);

/* The observer to hand to forward_run. */
struct forward_observer collector_observer(struct collector *c);

/* Between chunks, or after the batch: its `count` prompts count in all layers that they have reached, which
 * becomes their `counted`. The state is then that of whole prompts in each layer by itself. */
void collector_settle(struct collector *c, size_t count);

/* The earlier of two places, for merging ranks. */
bool collector_earlier(const struct collector_nonfinite *a, const struct collector_nonfinite *b);

#endif
