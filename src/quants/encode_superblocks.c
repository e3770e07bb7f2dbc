/* encode_superblocks.c - see encode_superblocks.h.
 *
 * A super-block's weights are d scale[s] q - dmin minimum[s] (or d scale[s] q), with whole numbers
 * scale, minimum and q. In four steps:
 *   1. each sub-block alone: the best scale and minimum as real numbers (encode_fit.h);
 *   2. d and dmin such that the largest scale and minimum become the largest whole numbers;
 *   3. each sub-block again: of the nine whole scales and minima next to the real ones, those with the least
 *      error, all weights rounded anew - the real optimum, rounded, need not be the best whole one;
 *   4. d and dmin by least squares for these whole numbers, then 3 again; kept while it helps.
 * Measured against llama.cpp in docs/synth.md.
 */
#include "encode_superblocks.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "encode_fit.h"
#include "half.h"
#include "superblocks.h"

#define N SUPERBLOCKS_ELEMENTS
#define MOST_SUBS 16
#define ROUNDS 2

/* What tells the formats apart. */
struct shape {
    int subs, width;          /* sub-blocks of a super-block, weights of one          */
    int low, high;            /* of q                                                 */
    int scale_low, scale_high;
    int minimum_high;         /* 0: no minima (symmetric)                             */
};

/* A super-block in whole numbers. */
struct whole {
    uint16_t d, dmin; /* halves                                                       */
    int scale[MOST_SUBS], minimum[MOST_SUBS];
    int8_t q[N];
    double error;
};

static struct encode_affine grid_of(const struct whole *b, int scale, int minimum)
{
    return (struct encode_affine){half_to_float(b->d) * (float)scale, -(half_to_float(b->dmin) * (float)minimum)};
}

static int clamp(float v, int low, int high)
{
    return !(v > (float)low) ? low : v >= (float)high ? high : (int)lrintf(v);
}

static float ratio(float value, uint16_t half)
{
    float unit = half_to_float(half);
    return unit != 0 ? value / unit : 0;
}

/* Step 3 for sub-block s, starting from the real `grid`. */
static void choose_whole(const struct shape *f, const float *w, struct encode_affine grid, bool at_zero,
                         struct whole *b, int s)
{
    int scale = clamp(ratio(grid.scale, b->d), f->scale_low, f->scale_high);
    int minimum = clamp(ratio(-grid.minimum, b->dmin), 0, f->minimum_high);
    int reach = f->minimum_high && !at_zero ? 1 : 0;
    float least = HUGE_VALF;
    for (int i = scale - 1; i <= scale + 1; i++)
        for (int j = minimum - reach; j <= minimum + reach; j++) {
            if (i < f->scale_low || i > f->scale_high || j < 0 || j > f->minimum_high)
                continue;
            float error = encode_fit_error(w, (size_t)f->width, grid_of(b, i, j), f->low, f->high);
            if (error < least) {
                least = error;
                b->scale[s] = i;
                b->minimum[s] = j;
            }
        }
    b->error += (double)least;
}

/* Steps 3 for all, then q; the sums of least squares for d and dmin go to m: [A A, A B, B B, x A, x B]
 * with w = d A - dmin B. */
static void fill(const struct shape *f, const float *w, const struct encode_affine *grids, const bool *at_zero,
                 struct whole *b, double m[5])
{
    b->error = 0;
    memset(m, 0, 5 * sizeof *m);
    for (int s = 0; s < f->subs; s++) {
        const float *x = w + s * f->width;
        struct encode_sums t;
        choose_whole(f, x, grids[s], at_zero[s], b, s);
        encode_fit_round(x, (size_t)f->width, grid_of(b, b->scale[s], b->minimum[s]), f->low, f->high,
                         b->q + s * f->width, &t);
        double scale = b->scale[s], minimum = b->minimum[s];
        m[0] += scale * scale * t.qq;
        m[1] += scale * minimum * t.q;
        m[2] += minimum * minimum * f->width;
        m[3] += scale * t.xq;
        m[4] += minimum * t.x;
    }
}

/* Step 4's new d and dmin; false when they stay as they are. */
static bool improve(struct whole *b, const double m[5])
{
    double determinant = m[0] * m[2] - m[1] * m[1], d, dmin = 0;
    if (m[2] > 0 && determinant > 0) {
        d = (m[3] * m[2] - m[1] * m[4]) / determinant;
        dmin = (m[3] * m[1] - m[0] * m[4]) / determinant;
    } else if (m[0] > 0) {
        d = m[3] / m[0];
    } else {
        return false;
    }
    uint16_t old_d = b->d, old_dmin = b->dmin;
    b->d = encode_fit_half((float)d);
    b->dmin = dmin > 0 ? encode_fit_half((float)dmin) : 0;
    return b->d != old_d || b->dmin != old_dmin;
}

static bool smallest_is_zero(const float *w, int n)
{
    bool zero = false;
    for (int i = 0; i < n; i++) {
        if (w[i] < 0)
            return false;
        zero |= w[i] == 0;
    }
    return zero;
}

static void encode(const struct shape *f, const float *w, struct whole *b)
{
    struct encode_affine grids[MOST_SUBS];
    bool at_zero[MOST_SUBS];
    float largest = 0, lowest = 0;
    double m[5];
    for (int s = 0; s < f->subs; s++) {
        const float *x = w + s * f->width;
        at_zero[s] = smallest_is_zero(x, f->width);
        if (f->minimum_high)
            grids[s] = encode_fit_affine(x, (size_t)f->width, f->high, true);
        else
            grids[s] = (struct encode_affine){encode_fit_symmetric(x, (size_t)f->width, -f->low), 0};
        largest = fabsf(grids[s].scale) > fabsf(largest) ? grids[s].scale : largest;
        lowest = grids[s].minimum < lowest ? grids[s].minimum : lowest;
    }
    /* A signed scale has one more number below zero: the largest one becomes that. */
    int full = f->scale_low < 0 ? f->scale_low : f->scale_high;
    b->d = encode_fit_half(largest / (float)full);
    b->dmin = f->minimum_high ? encode_fit_half(-lowest / (float)f->minimum_high) : 0;
    fill(f, w, grids, at_zero, b, m);
    struct whole next = *b;
    for (int round = 0; round < ROUNDS && improve(&next, m); round++) {
        fill(f, w, grids, at_zero, &next, m);
        if (!(next.error < b->error))
            break;
        *b = next;
    }
}

/* Bits of q two by two, where byte 32 h + l has weights 128 h + l + 32 j (superblocks.h). */
static void pack_crumbs(const int8_t *q, int shift, uint8_t bytes[64])
{
    memset(bytes, 0, 64);
    for (int i = 0; i < N; i++) {
        uint8_t *byte = &bytes[i / 128 * 32 + i % 32];
        *byte = (uint8_t)(*byte | (q[i] >> shift & 3) << 2 * (i / 32 % 4));
    }
}

void encode_superblocks_q2_k(const float *w, size_t blocks, uint8_t *bytes)
{
    static const struct shape shape = {16, 16, 0, 3, 0, 15, 15};
    struct superblocks_q2_k *out = (struct superblocks_q2_k *)bytes;
    struct whole b = {0};
    for (size_t i = 0; i < blocks; i++) {
        encode(&shape, w + i * N, &b);
        for (int s = 0; s < 16; s++)
            out[i].scales[s] = (uint8_t)(b.scale[s] | b.minimum[s] << 4);
        pack_crumbs(b.q, 0, out[i].q);
        half_store(out[i].d, b.d);
        half_store(out[i].dmin, b.dmin);
    }
}

void encode_superblocks_q3_k(const float *w, size_t blocks, uint8_t *bytes)
{
    static const struct shape shape = {16, 16, -4, 3, -32, 31, 0};
    struct superblocks_q3_k *out = (struct superblocks_q3_k *)bytes;
    struct whole b = {0};
    for (size_t i = 0; i < blocks; i++) {
        encode(&shape, w + i * N, &b);
        memset(out[i].high, 0, sizeof out[i].high);
        memset(out[i].scales, 0, sizeof out[i].scales);
        for (int k = 0; k < N; k++) {
            b.q[k] = (int8_t)(b.q[k] + 4);
            uint8_t *byte = &out[i].high[k % 32];
            *byte = (uint8_t)(*byte | (b.q[k] >> 2) << k / 32);
        }
        for (int s = 0; s < 16; s++) {
            int scale = b.scale[s] + 32;
            uint8_t *low = &out[i].scales[s % 8], *high = &out[i].scales[8 + s % 4];
            *low = (uint8_t)(*low | (scale & 15) << 4 * (s / 8));
            *high = (uint8_t)(*high | (scale >> 4) << 2 * (s / 4));
        }
        pack_crumbs(b.q, 0, out[i].q);
        half_store(out[i].d, b.d);
    }
}

/* The 12 bytes that superblocks_unpack_scales reads. */
static void pack_scales(const int scale[8], const int minimum[8], uint8_t packed[12])
{
    for (int s = 0; s < 4; s++) {
        packed[s] = (uint8_t)(scale[s] | scale[s + 4] >> 4 << 6);
        packed[s + 4] = (uint8_t)(minimum[s] | minimum[s + 4] >> 4 << 6);
        packed[s + 8] = (uint8_t)((scale[s + 4] & 15) | (minimum[s + 4] & 15) << 4);
    }
}

/* Low four bits of 64 p + l and 64 p + 32 + l into byte 32 p + l. */
static void pack_halves(const int8_t *q, uint8_t bytes[128])
{
    for (int p = 0; p < 4; p++)
        for (int l = 0; l < 32; l++)
            bytes[32 * p + l] = (uint8_t)((q[64 * p + l] & 15) | (q[64 * p + 32 + l] & 15) << 4);
}

void encode_superblocks_q4_k(const float *w, size_t blocks, uint8_t *bytes)
{
    static const struct shape shape = {8, 32, 0, 15, 0, 63, 63};
    struct superblocks_q4_k *out = (struct superblocks_q4_k *)bytes;
    struct whole b = {0};
    for (size_t i = 0; i < blocks; i++) {
        encode(&shape, w + i * N, &b);
        half_store(out[i].d, b.d);
        half_store(out[i].dmin, b.dmin);
        pack_scales(b.scale, b.minimum, out[i].scales);
        pack_halves(b.q, out[i].q);
    }
}

void encode_superblocks_q5_k(const float *w, size_t blocks, uint8_t *bytes)
{
    static const struct shape shape = {8, 32, 0, 31, 0, 63, 63};
    struct superblocks_q5_k *out = (struct superblocks_q5_k *)bytes;
    struct whole b = {0};
    for (size_t i = 0; i < blocks; i++) {
        encode(&shape, w + i * N, &b);
        half_store(out[i].d, b.d);
        half_store(out[i].dmin, b.dmin);
        pack_scales(b.scale, b.minimum, out[i].scales);
        memset(out[i].high, 0, sizeof out[i].high);
        for (int k = 0; k < N; k++)
            out[i].high[k % 32] = (uint8_t)(out[i].high[k % 32] | (b.q[k] >> 4 & 1) << k / 32);
        pack_halves(b.q, out[i].q);
    }
}

void encode_superblocks_q6_k(const float *w, size_t blocks, uint8_t *bytes)
{
    static const struct shape shape = {16, 16, -32, 31, -128, 127, 0};
    struct superblocks_q6_k *out = (struct superblocks_q6_k *)bytes;
    struct whole b = {0};
    for (size_t i = 0; i < blocks; i++) {
        encode(&shape, w + i * N, &b);
        memset(out[i].low, 0, sizeof out[i].low);
        for (int k = 0; k < N; k++) {
            b.q[k] = (int8_t)(b.q[k] + 32);
            int h = k / 128, j = k / 32 % 4, l = k % 32;
            uint8_t *byte = &out[i].low[64 * h + 32 * (j % 2) + l];
            *byte = (uint8_t)(*byte | (b.q[k] & 15) << 4 * (j / 2));
        }
        pack_crumbs(b.q, 4, out[i].high);
        for (int s = 0; s < 16; s++)
            out[i].scales[s] = (int8_t)b.scale[s];
        half_store(out[i].d, b.d);
    }
}
