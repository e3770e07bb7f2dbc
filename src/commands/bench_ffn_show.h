/* bench_ffn_show.h - the tables of `bench ffn`, its CSV and its JSON.
 *
 * Flow: results of all ranks -> *show* -> standard output.
 */
#ifndef PHI3SAT_COMMANDS_BENCH_FFN_SHOW_H
#define PHI3SAT_COMMANDS_BENCH_FFN_SHOW_H

#include "../bench/verdict.h"
#include "bench_ffn_plan.h"
#include "bench_ffn_shares.h"

/* Of one rank: one batch size. Plain values, since they travel. */
struct bench_ffn_batch {
    struct ffn_variants_result variant[FFN_VARIANTS];
    double noise;
};

struct bench_ffn_results {
    const struct bench_ffn_plan *plan;
    const struct bench_ffn_batch *of;    /* [ranks][batches]                                        */
    size_t ranks;
    double *scratch;                     /* [ranks], overwritten                                   */
    const struct bench_ffn_shares *shares; /* NULL: not measured                                    */
};

/* The verdict on a variant for batch b, over all ranks: the medians of speedups, the widest of spreads, the largest of errors. */
enum verdict bench_ffn_verdict(const struct bench_ffn_results *r, size_t b, enum ffn_variant variant, char *reason, size_t size);

/* All that was measured, in the form that the options ask for. STATUS_OUTPUT. */
enum status bench_ffn_show(const struct bench_ffn_results *r, struct error *e) ERROR_MUST_USE;

#endif
