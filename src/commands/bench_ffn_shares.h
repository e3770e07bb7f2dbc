/* bench_ffn_shares.h - what fewer neurons, or thinner matrices, of a model's layer save and cost, for `bench ffn --model`.
 *
 * Flow: plan -> each kept share, each way to choose -> *shares* -> table, CSV, JSON, curve.
 */
#ifndef PHI3SAT_COMMANDS_BENCH_FFN_SHARES_H
#define PHI3SAT_COMMANDS_BENCH_FFN_SHARES_H

#include "bench_ffn_plan.h"

enum bench_ffn_way { BENCH_FFN_FIRST, BENCH_FFN_IMPORTANT, BENCH_FFN_SVD, BENCH_FFN_ACTIVE, BENCH_FFN_WAYS };

/* "first", "important", "svd", "active". */
extern const char *const bench_ffn_way_names[BENCH_FFN_WAYS];

struct bench_ffn_share {
    size_t layer;                   /* of the plan's                                            */
    enum bench_ffn_way way;
    double wanted;                  /* share to keep; of `active` what the archive leaves        */
    size_t size;                    /* neurons, or rank of gate and up                         */
    double bytes, flops;
    struct timing_spread seconds;   /* of the plan's first batch size                            */
    struct timing_ratio speedup;    /* over all neurons, three products                          */
    double off;                     /* relative L2 distance of the output, in f32, to the whole layer's, over real inputs */
};

struct bench_ffn_shares {
    struct bench_ffn_share *of;     /* [count]; freed by the caller                             */
    size_t count;
    bool svd;                       /* a LAPACK was there                                      */
    char no_svd[256];               /* else why not                                            */
};

/* Measures them: of a plan of one layer, all ways, and `active` where the archive calls more than 30 % saturated; of more layers that
 * alone. */
enum status bench_ffn_shares_measure(struct bench_ffn_shares *shares, const struct bench_ffn_plan *p, struct error *e) ERROR_MUST_USE;

#endif
