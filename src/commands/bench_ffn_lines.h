/* bench_ffn_lines.h - the lines of `bench ffn`: one for each variant and batch size, one for each kept share.
 *
 * Flow: results -> *lines* -> table, CSV or JSON by report/figures.h.
 */
#ifndef PHI3SAT_COMMANDS_BENCH_FFN_LINES_H
#define PHI3SAT_COMMANDS_BENCH_FFN_LINES_H

#include "../report/figures.h"
#include "bench_ffn_plan.h"
#include "bench_ffn_shares.h"

/* NaN where there is no such figure. */
struct bench_ffn_line {
    size_t batch;
    const char *variant, *name, *verdict, *reason;
    struct timing_spread seconds;
    struct timing_ratio speedup;
    double least, most;              /* seconds, over ranks                                     */
    double bytes, flops, read_peak, peak, kernel_error, approximation, error, noise, kept;
    size_t neurons, ranks;
    enum kernels_mode computed;
    bool repacked;
};

/* Begins, writing nothing yet. */
void bench_ffn_lines_open(struct figures *f, const struct bench_ffn_options *o);

enum status bench_ffn_lines_row(struct figures *f, const struct bench_ffn_plan *p, const struct bench_ffn_line *line,
                                struct error *e) ERROR_MUST_USE;

/* The kept shares: more such lines in CSV and JSON, a table of their own and advice for people. */
enum status bench_ffn_lines_shares(struct figures *f, const struct bench_ffn_plan *p, const struct bench_ffn_shares *shares,
                                   struct error *e) ERROR_MUST_USE;

#endif
