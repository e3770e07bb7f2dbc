/* ffn_variants.h - the four ways to compute an FFN that `bench ffn` compares, timed in turn with the machine's roofs.
 *
 * Flow: weights of layers -> *variants* -> times, errors -> verdict, tables. The baseline takes two turns a round: what its
 * two halves differ by is the noise of this machine, under which no variant's gain is believed.
 */
#ifndef PHI3SAT_BENCH_FFN_VARIANTS_H
#define PHI3SAT_BENCH_FFN_VARIANTS_H

#include "layer_ffn.h"
#include "ffn_weights.h"
#include "timing.h"

enum ffn_variant { FFN_BASELINE, FFN_FUSED, FFN_REDUCED, FFN_BOTH, FFN_VARIANTS };

struct ffn_variants_plan {
    const struct ffn_weights *whole, *reduced; /* [layers]: all neurons, and those that are kept       */
    size_t layers;
    const float *const *x;                 /* [layers]: inputs [most_rows, gate.inputs]             */
    size_t checked;                        /* rows that errors are computed from, at most           */
    const struct kernels *kernels;
    enum kernels_mode mode;
    const size_t *batch;                   /* [batches] rows                                       */
    size_t batches;
    struct timing_plan timing;
};

struct ffn_variants_result {
    struct timing_spread seconds;          /* of one layer                                         */
    struct timing_ratio speedup;           /* over the baseline, both of the same round             */
    double bytes, flops;                   /* of one layer                                         */
    double read_peak, peak;                /* bytes and operations a second: what reading alone reaches, and the instructions */
    double error;                          /* relative L2 distance to profile's own code, unfused, of the same weights, all rows of the
                                            * batch, the first layer: 0 is the same bits           */
    double kernel_error;                   /* to float64 on the decoded weights: largest of the layers     */
    double approximation;                  /* of the weights, in f32, to those of all neurons: largest of the layers */
    enum kernels_mode computed;
    bool repacked;
};

struct ffn_variants; /* opaque */

/* For threads_count() threads. All that the plan points at is borrowed. STATUS_USAGE when it takes too much memory. Free with
 * ffn_variants_close (NULL allowed). */
enum status ffn_variants_open(struct ffn_variants **v, const struct ffn_variants_plan *plan, struct error *e) ERROR_MUST_USE;
void ffn_variants_close(struct ffn_variants *v);

/* Times batch b < batches. noise: how far the speedup of the baseline over itself may be from 1, as the same interval. */
enum status ffn_variants_measure(struct ffn_variants *v, size_t b, struct ffn_variants_result result[FFN_VARIANTS], double *noise,
                                 struct error *e) ERROR_MUST_USE;

#endif
