/* footprint.h - what memory a rank takes, known before it runs.
 *
 * Flow: config, model file -> *footprint* -> inspect, plans, the choice of a grid. The figures are
 * those of the structs and buffers that forward_open, forward_run and accumulator_init really
 * allocate (tests/unit/test_footprint.c compares them), and bounds: no run takes more.
 *
 * Not in it: the program and its libraries, the tokenizer, and the list of prompts (some 100 bytes each).
 */
#ifndef PHI3SAT_MODEL_FOOTPRINT_H
#define PHI3SAT_MODEL_FOOTPRINT_H

#include "../kernels/kernels.h"
#include "config.h"

/* The bytes of a model file by what needs them. Of tensors that the forward pass does not touch (the
 * output head) only `others` tells. */
struct footprint_weights {
    uint64_t *layer;      /* [layers] bytes, owned                                  */
    uint64_t *work;       /* [layers] multiply-adds a token in its products, owned: what it costs */
    size_t layers;
    uint64_t embedding;   /* bytes; the first stage's                               */
    uint64_t others;      /* bytes that no stage maps in                            */
    bool long_factors;    /* a second rotary table may be needed                    */
};

/* Sums up the file's tensors by layer; those of layers past `layers` are others. STATUS_FAILED for want of
 * memory. Free with footprint_weights_free (zeroed allowed). */
enum status footprint_weights_read(struct footprint_weights *w, const struct model_file *file, size_t layers,
                                   struct error *e) ERROR_MUST_USE;
void footprint_weights_free(struct footprint_weights *w);

/* How the model is to be run. */
struct footprint_load {
    size_t batch_tokens;  /* as --batch-tokens; at least 1                          */
    size_t threads;       /* of a rank; at least 1                                  */
    size_t longest;       /* tokens of the longest prompt; at least 1               */
    size_t shortest;      /* tokens of the shortest; at least 1: each prompt of a batch takes up to 15
                           * positions more of keys and values than it has tokens    */
    enum kernels_mode mode; /* as --precision                                        */
};

/* Layers [first, first + count) of the model, count > 0: what one stage of a grid holds. */
struct footprint_stage {
    size_t first, count;
};

struct footprint {
    uint64_t weights;     /* bytes of the map; shared by a host's ranks of one stage  */
    uint64_t state;       /* the exact sums, and a layer of them more: merged, on its way to a file */
    uint64_t working;     /* activations, keys and values, decoded panels, tables    */
};

/* Cuts the layers into stage[stages], 1 <= stages <= layers: contiguous, none empty, so that the dearest stage
 * (footprint_weights.work) costs as little as it can and the others are near each other; of cuts as good the one with the
 * larger stages first. The same on all ranks. STATUS_FAILED for want of memory. */
enum status footprint_cut(struct footprint_stage *stage, const struct footprint_weights *w, size_t stages,
                          struct error *e) ERROR_MUST_USE;

/* How many chunks' hidden states a stage holds (cluster/pipeline.h): one that it works on, one that comes in unless it is the
 * first, one that goes out unless it is the last. 1: all layers are one stage, which holds whole batches instead. */
size_t footprint_buffers(size_t layers, struct footprint_stage stage);

/* One rank's memory. STATUS_INPUT when a size doesn't fit 64 bits. Pure. */
enum status footprint_of(struct footprint *f, const struct config *c, const struct footprint_weights *w,
                         const struct footprint_load *load, struct footprint_stage stage,
                         struct error *e) ERROR_MUST_USE;

/* The stage of `stages` that takes the most, and what that is. */
enum status footprint_largest(struct footprint *f, struct footprint_stage *largest, const struct config *c,
                              const struct footprint_weights *w, const struct footprint_load *load, size_t stages,
                              struct error *e) ERROR_MUST_USE;

#endif
