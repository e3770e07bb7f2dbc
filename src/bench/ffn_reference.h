/* ffn_reference.h - an FFN in float64 from the decoded weights: what kernels and approximations are measured against. */
#ifndef PHI3SAT_BENCH_FFN_REFERENCE_H
#define PHI3SAT_BENCH_FFN_REFERENCE_H

#include "ffn_weights.h"

/* y [rows, hidden] = down (silu(gate x) * (up x)), all in float64, of x [rows, gate.inputs]; about a billion multiply-adds a second
 * and thread, so for some rows only. *y is freed by the caller. Fails for want of memory only. */
enum status ffn_reference(const struct ffn_weights *w, size_t rows, const float *x, double **y, struct error *e) ERROR_MUST_USE;

/* sqrt(sum (a - b)^2 / sum b^2) over `count` numbers; 0 when both are all zero. NaN where a number is not finite. */
double ffn_reference_error(const float *a, const double *b, size_t count);
double ffn_reference_distance(const float *a, const float *b, size_t count);

#endif
