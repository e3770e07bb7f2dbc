/* few_rows.h - the products of one layer's FFN with repacked weights, for a few rows (inside src/bench).
 *
 * Flow: lone_ffn_weights -> *few rows* -> layer_ffn.c. In f32 each product is bound by memory or by making numbers of the
 * weights; what fusing saves is two meetings of the threads and gate's and up's way through the cache.
 */
#ifndef PHI3SAT_BENCH_FEW_ROWS_H
#define PHI3SAT_BENCH_FEW_ROWS_H

#include "../model/lone_ffn.h"
#include "repacked.h"

struct few_rows {
    struct repacked gate, up;               /* fused: `gate` holds both, side by side             */
    struct repacked down;
    const struct kernels *kernels;
    const struct kernels_vector_way *way, *down_way; /* down_way NULL: `product` does it           */
    struct lone_product *product;
    bool fused;
    size_t neurons, stride;                 /* stride: floats of a row of `gated`                  */
    /* of the run at hand: */
    size_t rows, copy;
    const float *x;
    float *gate_rows, *up_rows, *gated, *y; /* [rows, neurons], [rows, neurons], [rows, stride], [rows, outputs] */
};

/* True where gate and up have a repacked form in this mode, the same for both. */
bool few_rows_possible(const struct lone_ffn_weights *w, const struct kernels *kernels, enum kernels_mode mode);

/* Repacks `w`; the caller sets the run's members. Free with few_rows_close (zeroed allowed). */
enum status few_rows_open(struct few_rows *f, const struct lone_ffn_weights *w, const struct kernels *kernels,
                          enum kernels_mode mode, bool fused, size_t most_rows, size_t copies, struct error *e) ERROR_MUST_USE;
void few_rows_close(struct few_rows *f);

/* y = FFN(x) on threads_count() threads. */
void few_rows_run(struct few_rows *f);

#endif
