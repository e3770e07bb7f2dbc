/* kernels.h - the inner loops behind one typed table.
 *
 * Flow: decoded panels, batches -> *kernels* -> series, hidden states, plain sums. The same
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
#include "../stats/sums.h"

/* Outputs a panel: a matrix's rows are decoded 16 at a time into [inputs][16]. */
#define KERNELS_PANEL 16

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

struct kernels {
    const char *name; /* "reference", "avx2", "avx512", "neon" */

    /* y[r][j] = start + sum over k of x[r][k] * panel[k][j], j = 0..15, one fused multiply-add
     * at a time from k = 0 up, start = 0 or (accumulate) the old y[r][j]. x [rows, inputs],
     * panel [inputs][16], y [rows, 16]. */
    void (*product)(size_t rows, size_t inputs, const float *x, size_t x_stride, const float *panel, float *y,
                    size_t y_stride, int accumulate);

    /* panel[k][j] = weights[j][k] for j = 0..15: weights [16, inputs]. */
    void (*pack)(size_t inputs, const float *weights, size_t weights_stride, float *panel);

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

    /* Causal attention by tiles of KERNELS_TILE keys with a running maximum:
     *   s_j = scale * (sum over d of q_d k_jd);  m' = max(m, max s_j);  a = exp(m - m')
     *   l = l a + sum_j exp(s_j - m')  (64 lanes joined by halving);  o = o a + sum_j p_j v_j, j ascending
     * output = o / l. Keys outside [i - window + 1, i] take no part at all. */
    void (*attend)(const struct kernels_attention *job);

    /* Adds `rows` values of 64 neurons, x [rows, 64], to the prompt's sums, in row order.
     * `position` is the token position of the first row. See stats/sums.h. */
    void (*statistics)(size_t rows, const float *x, size_t x_stride, float activity_threshold, int32_t position,
                       struct sums *sums);
};

/* The table to use: the one called `name`, or the best of this processor when
 * `name` is NULL (or the environment's PHI3SAT_KERNELS, which the caller passes).
 * STATUS_USAGE when the name is unknown, not built in or not supported here.
 * Static storage. */
enum status kernels_select(const char *name, const struct kernels **kernels, struct error *e) ERROR_MUST_USE;

/* Table i of those that are built in and run here, reference first; NULL past the end. */
const struct kernels *kernels_at(size_t i);

#endif
