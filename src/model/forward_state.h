/* forward_state.h - what the parts of the forward pass share (inside src/model only). */
#ifndef PHI3SAT_MODEL_FORWARD_STATE_H
#define PHI3SAT_MODEL_FORWARD_STATE_H

#include "band.h"
#include "forward.h"

/* Outputs that one piece of work decodes and multiplies: four panels, and one
 * block of statistics. */
#define FORWARD_BLOCK SUMS_LANES
#define FORWARD_PANELS (FORWARD_BLOCK / KERNELS_PANEL)

/* One prompt's place in the batch. */
struct segment {
    size_t row;        /* of its first token in the batch                          */
    size_t length;
    const struct rotary_table *rotary;
    size_t cache;      /* floats before its keys and values in forward.cache        */
    size_t capacity;   /* positions in its cache (band_capacity)                    */
};

/* The part of a batch that goes through a layer at once: rows [row, row + rows). */
struct chunk {
    size_t row, rows;
    float *x;          /* [rows, hidden]: its hidden states                           */
};

/* One thread's own memory. */
struct workspace {
    uint8_t *panels;   /* room for FORWARD_PANELS decoded panels of kernels_way.depth inputs */
    float *tile[3];    /* [chunk rows, FORWARD_BLOCK]: gate, up, ffn                 */
    float *attention;  /* scratch of kernels.attend                                */
    struct sums *sums; /* [SERIES_COUNT]                                           */
};

struct forward {
    const struct config *config;
    const struct weights *weights;
    const struct kernels *kernels;
    struct forward_options options;
    struct rotary rotary;
    int threads;
    size_t packed_row_bytes[KERNELS_PACKINGS], panel_bytes; /* the largest of the model's matrices */
    size_t blocks;                /* of FORWARD_BLOCK neurons in the intermediate size */
    struct workspace *workspace;  /* [threads]                                      */
    /* of the batch at hand: */
    struct segment *segment;
    size_t segments, segment_capacity;
    size_t rows;
    float *hidden;                /* [rows, hidden]: the stage's caller's, or `own`; NULL: chunks have theirs elsewhere */
    float *own;
    size_t own_capacity;
    size_t layers_held;           /* whose keys, values and carried sums are kept      */
    size_t layer_floats;          /* of cache, for one of them, all segments           */
    float *caches;                /* keys and values of the layers of a band          */
    size_t caches_capacity;
    struct sums *carried_all;     /* [layers of the largest band][SERIES_COUNT][blocks] */
    /* of the layer at hand: */
    float *cache;
    struct sums *carried;         /* [SERIES_COUNT][blocks]: a long prompt's sums between chunks */
    /* of the chunk at hand, [batch_tokens rows] each: */
    float *normed;                /* [rows, hidden]                                 */
    float *query, *key, *value;   /* [rows, heads or kv_heads * head_dim]            */
    float *mixed;                 /* [rows, heads * head_dim]: attention's output     */
    float *ffn;                   /* [rows, blocks * FORWARD_BLOCK]                  */
    float *whole[2];              /* decoding: gate and up as ffn, of one row or (separate) all rows  */
    uint8_t *packed[KERNELS_PACKINGS]; /* what the products at hand read; NULL: no weight needs that form */
};

/* How the run's precision multiplies by w. */
const struct kernels_way *product_way(const struct forward *f, const struct weight *w);

/* Packs x [rows, inputs] in every form that one of the weights reads: all have the same inputs. */
void product_pack(struct forward *f, const struct weight *const *weights, size_t count, size_t rows, const float *x,
                  size_t x_stride);

/* y [rows, outputs] (stride y_stride) = or += the packed rows times the weight. */
struct product_job {
    const struct weight *weight;
    float *y;
    size_t y_stride;
    float *partial; /* for +=: room for sums on their way, of y's shape and stride; not y */
};

/* All jobs at once, on all threads. */
void product_run(struct forward *f, const struct product_job *job, size_t count, size_t rows, bool add);

/* Jobs of one call at most. */
#define PRODUCT_JOBS 3

/* All jobs at once on rows x [rows, inputs], which are packed first, or, for one row, by the vector form of the weights
 * that have one: the same bits. */
void product_of(struct forward *f, const struct product_job *job, size_t count, size_t rows, const float *x,
                size_t x_stride, bool add);

/* A part of the packed rows: tiles [first, end) of them, inputs [from, until). */
struct part {
    size_t first, end;
    size_t from, until;
};

/* All of `rows` packed rows as w reads them. */
struct part product_whole(const struct forward *f, const struct weight *w, size_t rows);

/* tile [the part's rows, FORWARD_BLOCK] = the part times outputs [FORWARD_BLOCK * block, ...) of w, or += it where
 * the part doesn't start at input 0; columns past the matrix's last panel are left alone, others past its end hold
 * anything. `rows` is what was packed in all. One thread's work. */
void product_block(struct forward *f, struct workspace *own, const struct weight *w, size_t block, const struct part *part,
                   size_t rows, float *tile);

/* Attention of the chunk: query, key, value, which get the layer's biases and head norms first, -> mixed; keys and values
 * join the cache. */
void attention_run(struct forward *f, const struct weights_layer *w, struct chunk chunk);

/* gate, up, ffn of the chunk from `normed`, with the observer told of each finished prompt (NULL: nobody). */
void ffn_run(struct forward *f, size_t layer, struct chunk chunk, const struct forward_observer *observer);

/* The two halves of a layer on the chunk's rows of the residual stream. `down`: with the FFN's down
 * projection, which a profile's last layer can do without. The observer may be NULL. */
void forward_attention_half(struct forward *f, const struct weights_layer *w, struct chunk chunk,
                            const struct forward_observer *observer);
void forward_ffn_half(struct forward *f, size_t layer, struct chunk chunk, bool down,
                      const struct forward_observer *observer);

/* normed [rows, hidden] = RMSNorm of x [rows, hidden] with these weights [hidden]. */
void forward_norm(struct forward *f, size_t rows, const float *x, const float *weight);

#endif
