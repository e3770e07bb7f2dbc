/* encode_fit.h - scales for a few weights: the search under every encoder.
 *
 * Flow: float32 rows -> *fit* -> encode_blocks32, encode_superblocks -> model file.
 *
 * Two kinds of grid. Affine: w = scale q + minimum, q = 0..top. Symmetric: w = scale q, q =
 * -levels..levels-1, the scale of either sign. A fit tries some twenty scales about the one that
 * just spans the weights, rounds every weight to the grid (to nearest), solves for the scale (and
 * minimum) that suit the rounded numbers best by least squares, and keeps the smallest sum of
 * squared errors. Sums are over four lanes, in an order that no machine changes.
 *
 * n is a multiple of 4, at most 256. Everything here is a pure function: thread-safe.
 */
#ifndef PHI3SAT_QUANTS_ENCODE_FIT_H
#define PHI3SAT_QUANTS_ENCODE_FIT_H

#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>

struct encode_affine {
    float scale;   /* >= 0                                                       */
    float minimum; /* the value of q = 0                                         */
};

/* What is summed over weights x and their numbers q; n terms each. */
struct encode_sums {
    double x, q, xq, qq, xx;
};

/* Fits weights[n]. `below_zero`: the format can only hold minima <= 0. Where the smallest weight is
 * 0, the minimum is 0 exactly, so that zeros stay zeros. */
struct encode_affine encode_fit_affine(const float *weights, size_t n, int top, bool below_zero);

/* The scale for weights[n]; 0 when all of them are 0. */
float encode_fit_symmetric(const float *weights, size_t n, int levels);

/* Sum of squared errors of the grid with this scale: q = round((w - minimum) / scale) within
 * low..high. A scale of 0 makes every q 0. */
float encode_fit_error(const float *weights, size_t n, struct encode_affine grid, int low, int high);

/* The numbers themselves, and their sums where `sums` isn't NULL. */
void encode_fit_round(const float *weights, size_t n, struct encode_affine grid, int low, int high, int8_t *q,
                      struct encode_sums *sums);

/* A scale as the half that is stored: finite whatever comes in. */
uint16_t encode_fit_half(float scale);

#endif
