/* forward.h - the forward pass that shows every FFN neuron to an observer.
 *
 * Flow: tokens -> *forward* -> plain sums of each prompt, layer, series -> stats. All layers of
 * a batch of prompts, layer by layer; the last layer ends with its ffn series (no down
 * projection, no lm_head: nobody looks at what would follow).
 *
 * A batch is any number of prompts; it goes through each layer in chunks of at most `batch_tokens`
 * rows. Usual are several prompts of that many tokens together, or one longer one: a longer
 * batch holds more hidden states, keys and values. Attention never crosses prompts.
 * Results don't depend on how prompts are packed, chunked or threaded.
 *
 * A forward pass may be cut into stages of consecutive layers: each takes the residual stream where the last one
 * left it, whoever ran that (cluster/pipeline.h), all at once or chunk by chunk.
 */
#ifndef PHI3SAT_MODEL_FORWARD_H
#define PHI3SAT_MODEL_FORWARD_H

#include "../kernels/kernels.h"
#include "rotary.h"

struct forward_prompt {
    const int32_t *ids;   /* [length], each below config.vocabulary                 */
    size_t length;        /* at least 1                                             */
};

/* What the observer is told. Called from several threads at once, never twice for the
 * same (layer, series, block, prompt). */
struct forward_observer {
    void *context;
    /* The sums of 64 neurons of one series of one layer over all counted positions of batch
     * prompt `prompt`. `samples` of them, 0 when all were skipped. */
    void (*sums)(void *context, size_t layer, enum series series, size_t block, size_t prompt,
                 const struct sums *sums, uint64_t samples);
    /* Asked before each chunk of each layer, on the calling thread: true ends the run (STATUS_CHECKPOINT).
     * May be NULL. */
    bool (*stop)(void *stop_context);
    void *stop_context;
    /* Called between the steps of a chunk on the calling thread, for what has to move on meanwhile (messages). May
     * be NULL. */
    void (*step)(void *stop_context);
};

struct forward_options {
    size_t batch_tokens;       /* rows of a chunk, at least 1                         */
    size_t skip_first;         /* positions left out of the statistics, each prompt   */
    float activity_threshold;
    size_t window;             /* 0: all; usually config.window                       */
    enum kernels_mode mode;    /* precision of the products                           */
    size_t first_layer;        /* of the stage                                        */
    size_t layers;             /* of the stage; 0: all from first_layer on            */
    size_t longest;            /* tokens of the longest prompt, for forward_run_ports; 0: that isn't called */
    const struct weights_head *head; /* decoding (decode.h): the products make room for its matrix too. NULL: profiling */
    bool separate;             /* decoding: gate and up are two products, one after the other; the same bits */
};

/* Where a stage's hidden states come from and go to, a chunk at a time: [rows, hidden] each, in the order of the batch.
 * What takes or finds room may wait; NULL from either ends the run (STATUS_CHECKPOINT). */
struct forward_ports {
    void *context;
    float *(*take)(void *context);  /* the next chunk; where the stage begins with layer 0 room for one, not read */
    void (*keep)(void *context);    /* the chunk taken last has been copied: its room is free again */
    float *(*room)(void *context);  /* room for a chunk that is ready to be given       */
    void (*give)(void *context);    /* what take or room gave last is as the next stage wants it */
};

struct forward; /* opaque: buffers for one batch at a time */

/* All arguments are borrowed and must outlive *forward, `options` apart. Makes room for threads_count()
 * threads as set at this call; later runs may use fewer. Not thread-safe: one caller at a
 * time. Fails for want of memory only. Free with forward_close (NULL allowed). */
enum status forward_open(struct forward **forward, const struct config *config, const struct weights *weights,
                         const struct kernels *kernels, const struct forward_options *options,
                         struct error *e) ERROR_MUST_USE;
void forward_close(struct forward *forward);

/* Runs one batch through all layers. Fails only for want of memory, or STATUS_CHECKPOINT when asked to stop (the
 * observer then has part of the batch and must forget it). */
enum status forward_run(struct forward *forward, const struct forward_prompt *prompts, size_t count,
                        const struct forward_observer *observer, struct error *e) ERROR_MUST_USE;

/* One stage of it on the caller's hidden states [rows of all prompts, hidden]: read, unless the stage begins with layer
 * 0, which embeds the prompts' ids; left as the next stage wants them, or, where the last layer is among them, as
 * its FFN found them. Later stages need no ids. Otherwise as forward_run. */
enum status forward_run_stage(struct forward *forward, const struct forward_prompt *prompts, size_t count, float *hidden,
                              const struct forward_observer *observer, struct error *e) ERROR_MUST_USE;

/* The same chunk by chunk, with `longest` in the options, for a prompt or for several that fit one chunk: a chunk goes through
 * a band of layers (band.h), and after the last band to the next stage, before the next chunk is worked on. What was taken is
 * kept or given before the next is taken. */
enum status forward_run_ports(struct forward *forward, const struct forward_prompt *prompts, size_t count,
                              const struct forward_ports *ports, const struct forward_observer *observer,
                              struct error *e) ERROR_MUST_USE;

/* [rows, hidden]: the residual stream as the last layer's FFN of the last forward_run found it, for tests. NULL
 * before a run. */
const float *forward_hidden(const struct forward *forward);

#endif
