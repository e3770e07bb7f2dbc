/* kernels.h - the inner loops behind one typed table.
 *
 * Flow: decoded panels, batches -> *kernels* -> series, hidden states, plain sums, state. The same
 * C sources (lanes_*.c) are compiled once for each instruction set; kernels_select
 * picks the widest that the processor has. Every set gives the same bits: registers
 * hold many outputs, never parts of one sum, and exp, silu, sqrt and division are the same
 * IEEE operations in the same order (DESIGN section 5).
 *
 * Common contract: strides are in elements; pointers to panels, scratch and sums
 * are 64-byte aligned, batches need only be aligned to 4; arrays of one call don't overlap
 * unless said; all functions are thread-safe; none allocates or fails.
 */
#ifndef PHI3SAT_KERNELS_KERNELS_H
#define PHI3SAT_KERNELS_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "../base/error.h"
#include "../quants/quants.h"
#include "../stats/accumulator.h"

/* Outputs a panel: a matrix's rows are decoded 16 at a time into [inputs][16]. */
#define KERNELS_PANEL 16

/* Inputs that are decoded at a time: four panels of this depth are 128 to 160 KiB, a part of an L2 cache. */
#define KERNELS_F32_DEPTH 512
#define KERNELS_INT16_DEPTH 1024
#define KERNELS_INT8_DEPTH 2048

/* Keys a tile of attention; tiles lie at multiples of this position, whatever the chunk. */
#define KERNELS_TILE 64

/* One head's keys and values of one prompt, in panels:
 *   keys    [capacity/16][head_dim][16]    panel p holds positions 16p .. 16p+15
 *   values  [ceil(head_dim/16)][capacity][16]
 * capacity is a multiple of 16; positions not written yet may hold anything in keys. */
struct kernels_cache {
    float *keys;
    float *values;
    size_t capacity;  /* positions */
    size_t head_dim;
};

/* Attention of one head over `rows` neighbouring positions of one prompt. */
struct kernels_attention {
    const float *query;     /* [rows, head_dim], stride query_stride              */
    size_t query_stride;
    float *output;          /* [rows, head_dim], stride output_stride; may be uninitialised */
    size_t output_stride;
    size_t rows;
    size_t position;        /* of the first row; keys 0 .. position + rows - 1 are written */
    size_t window;          /* keys a query sees, itself included; 0: all          */
    float scale;            /* of the scores: 1 / sqrt(head_dim)                   */
    struct kernels_cache cache;
    float *scratch;         /* [kernels_attention_scratch(head_dim)] floats        */
};

/* Floats of scratch that one call of `attend` needs. */
size_t kernels_attention_scratch(size_t head_dim);

/* Precisions of the weight products (docs/methods.md has their errors). */
enum kernels_mode { KERNELS_F32, KERNELS_INT16, KERNELS_INT8, KERNELS_MODES };

/* Forms of a batch's rows. Products of the same rows whose ways share a form pack them once. */
enum kernels_packing { KERNELS_PACKED_F32, KERNELS_PACKED_INT16, KERNELS_PACKED_INT8, KERNELS_PACKINGS };

/* How one precision multiplies a batch by weights of one type: rows are packed, tile by tile,
 * over all inputs; 16 outputs' weights at a time are decoded to a panel, `depth` inputs at a time; multiply
 * combines the two. In both, `unit` neighbouring inputs make one piece of row_bytes (a row) or
 * panel_bytes (16 outputs): inputs [k, ...) of a tile of r rows start at k / unit * row_bytes * r, of
 * a panel at k / unit * panel_bytes. Blocks along k start at multiples of `depth`.
 *
 * What is computed, the order of every sum included, depends on mode and type only, never on how rows
 * make tiles or inputs make blocks. Float32: y[r][j] = start + sum over k of x[r][k] * w[j][k], one fused
 * multiply-add at a time from k = 0 up. The integer modes: lanes_int16.c, lanes_int8.c. */
struct kernels_way {
    enum kernels_mode mode;
    enum kernels_packing packing;
    size_t tile_rows;     /* most rows of a tile                                   */
    size_t panels;        /* that multiply takes through the rows together           */
    size_t depth;         /* inputs a panel should hold at once, a multiple of 256   */
    size_t unit, row_bytes, panel_bytes;

    /* Packs one tile: x [rows, inputs], 1 <= rows <= tile_rows. */
    void (*pack)(size_t rows, size_t inputs, const float *x, size_t x_stride, void *packed);

    /* Decodes `blocks` consecutive blocks of the type (single weights of a plain type) that start at byte
     * `bytes` of each of 16 rows. Rows need no alignment and may repeat. */
    void (*decode)(const uint8_t *const row[KERNELS_PANEL], size_t bytes, size_t blocks, void *panel);

    /* y[r][16p + j] = start + x times panel p's outputs j, over `inputs` inputs: start = 0 or
     * (accumulate) the old y. Panels are panel_stride bytes apart; y [rows, 16 * panels]. */
    void (*multiply)(size_t rows, size_t inputs, const void *packed, const void *panels, size_t panel_count,
                     size_t panel_stride, float *y, size_t y_stride, int accumulate);
};

/* Rows whose sums a vector product keeps together; more are taken in turns. */
#define KERNELS_VECTOR_ROWS 16

/* Products of a few rows with a matrix in its vector form (interleave.h), limited by memory or by
 * instructions where the tiled way is limited by decoding. `weights` is the first of the groups that
 * `outputs` outputs take; a thread takes a range of groups. No weights are read twice from memory for up to
 * KERNELS_VECTOR_ROWS rows.
 *   y[r][j] = sum over k of x[r][k] * w[j][k], the same bits as struct kernels_way's in the same mode.
 * x [rows, inputs], y [rows, outputs], which may be uninitialised; inputs are whole blocks. */
struct kernels_vector_way {
    enum kernels_mode mode;
    uint32_t type;
    void (*multiply)(size_t rows, size_t inputs, const float *x, size_t x_stride, const void *weights, size_t outputs,
                     float *y, size_t y_stride);
};

struct kernels {
    const char *name; /* "reference", "avx2", "avx512", "neon" */

    /* How weights of `type` (a quants_type) are multiplied in `mode`. Where the type has no form for it, in
     * the next more exact one (the way says which): F32, F16 and BF16 in float32 always, Q8_0 in int16 for int8.
     * NULL when the type can't be decoded. Static storage. */
    const struct kernels_way *(*way)(enum kernels_mode mode, uint32_t type);

    /* The same for a matrix in its vector form; NULL when the type has none that gives the bits of `way` in this
     * mode: in int8 Q4_K has one, in both integer modes F32, F16 and BF16 (float32's). Static storage. */
    const struct kernels_vector_way *(*vector_way)(enum kernels_mode mode, uint32_t type);

    /* RMSNorm: y = (x * 1/sqrt(mean(x^2) + epsilon)) * weight, row by row. The sum of
     * squares is 16 float64 partial sums (index mod 16), joined by halving. x may be y. */
    void (*rms_norm)(size_t rows, size_t hidden, const float *x, size_t x_stride, const float *weight, double epsilon,
                     float *y, size_t y_stride);

    /* Rotary embedding, halves form, in place: for i < half = rotary / 2
     *   a = v[i], b = v[i + half];  v[i] = fma(a, cos, -(b * sin));  v[i + half] = fma(b, cos, a * sin)
     * v [heads, head_dim]; cosine, sine [half] of the row's position. */
    void (*rotate)(size_t heads, size_t head_dim, size_t rotary, const float *cosine, const float *sine, float *v);

    /* ffn = silu(gate) * up, elementwise over count; silu(g) = g / (1 + exp(-g)) within 3 ulp. */
    void (*silu_multiply)(size_t count, const float *gate, const float *up, float *ffn);

    /* x += y over count. */
    void (*add)(size_t count, const float *y, float *x);

    /* out = exp(x) over count, within 1 ulp. For tests and tables. */
    void (*exponential)(size_t count, const float *x, float *out);

    /* Rows of the batch become positions [position, position + rows) of a head's cache: key,
     * value [rows, head_dim], stride `stride`. Positions before them are kept, later ones of
     * the same panel of keys may be overwritten. */
    void (*remember)(size_t rows, const float *key, const float *value, size_t stride, size_t position,
                     const struct kernels_cache *cache);

    /* Causal attention by tiles of KERNELS_TILE keys with a running maximum:
     *   s_j = scale * (sum over d of q_d k_jd);  m' = max(m, max s_j);  a = exp(m - m')
     *   l = l a + sum_j exp(s_j - m')  (64 lanes joined by halving);  o = o a + sum_j p_j v_j, j ascending
     * output = o / l. Exponentials below exp(-86) are 0. Keys outside [i - window + 1, i] take no part at all. */
    void (*attend)(const struct kernels_attention *job);

    /* Adds `rows` values of 64 neurons, x [rows, 64], to the prompt's sums, in row order.
     * `position` is the token position of the first row. See stats/sums.h. */
    void (*statistics)(size_t rows, const float *x, size_t x_stride, float activity_threshold, int32_t position,
                       struct sums *sums);

    /* accumulator_block_fold (stats/accumulator.h), bit for bit: adds one prompt of `samples` samples to
     * the state of 64 neurons. */
    void (*fold)(struct accumulator_block *block, const struct sums *sums, uint64_t samples);
};

/* The table to use: the one called `name`, or the best of this processor when
 * `name` is NULL (or the environment's PHI3SAT_KERNELS, which the caller passes).
 * STATUS_USAGE when the name is unknown, not built in or not supported here.
 * Static storage. */
enum status kernels_select(const char *name, const struct kernels **kernels, struct error *e) ERROR_MUST_USE;

/* Table i of those that are built in and run here, reference first; NULL past the end. */
const struct kernels *kernels_at(size_t i);

#endif
