/* bench_ffn_curve.h - latency against accuracy of kept shares, as a picture. */
#ifndef PHI3SAT_COMMANDS_BENCH_FFN_CURVE_H
#define PHI3SAT_COMMANDS_BENCH_FFN_CURVE_H

#include "bench_ffn_shares.h"

/* Writes an SVG of its own, whole or not at all. STATUS_OUTPUT. */
enum status bench_ffn_curve_write(const char *path, const struct bench_ffn_plan *p, const struct bench_ffn_shares *shares,
                                  struct error *e) ERROR_MUST_USE;

#endif
