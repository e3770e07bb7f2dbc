/* bench_ffn_plan.h - what `bench ffn` measures: weights of a seed or a model, inputs, batches, threads.
 *
 * Flow: options -> *plan* -> bench/ffn_variants.h, bench_ffn_reduce.h.
 */
#ifndef PHI3SAT_COMMANDS_BENCH_FFN_PLAN_H
#define PHI3SAT_COMMANDS_BENCH_FFN_PLAN_H

#include "../bench/ffn_variants.h"
#include "../bench/ffn_weights.h"
#include "../formats/model_file.h"
#include "bench_ffn_options.h"
#include "bench_lists.h"

struct bench_ffn_plan {
    const struct bench_ffn_options *options;
    const struct kernels *kernels;
    enum kernels_mode mode;
    struct bench_lists_numbers batch, shares; /* shares: percentages                          */
    struct timing_plan timing;
    size_t most_rows;                   /* of a batch, and at least `checked`                  */
    size_t checked;                     /* rows of different inputs, at most most_rows            */
    struct model_file *file;            /* NULL: synthetic                                     */
    struct config config;
    struct weights weights;
    size_t first, layers;               /* measured; layers is 1 for synthetic weights            */
    size_t depth;                       /* layers that a token passes                          */
    struct ffn_weights *whole, *reduced; /* [layers]                                            */
    float **x;                          /* [layers]: [most_rows, inputs]                        */
    uint32_t **order;                   /* [layers]: neurons, the most important first; NULL without an archive */
    float *saturated;                   /* [layers]: share by the archive                       */
    uint32_t **active;                  /* [layers][active_count]: neurons that the archive doesn't call saturated */
    size_t *active_count;
};

/* Opens all of it, on threads_count() threads as it leaves them. STATUS_USAGE, STATUS_INPUT. bench_ffn_plan_close is due in any case. */
enum status bench_ffn_plan_open(struct bench_ffn_plan *p, const struct bench_ffn_options *o, struct error *e) ERROR_MUST_USE;
void bench_ffn_plan_close(struct bench_ffn_plan *p);

#endif
