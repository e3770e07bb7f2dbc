/* lane_buffers.h - arrays between canaries, and equality of bits, for tests of kernels.
 *
 * A test fills `got` and `wanted` alike, lets the kernel write one and a plain loop the
 * other, and compares all of both: a store outside of the output shows as a lost canary.
 */
#ifndef PHI3SAT_TESTS_LANE_BUFFERS_H
#define PHI3SAT_TESTS_LANE_BUFFERS_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/kernels.h"
#include "reference_sums.h"
#include "tap.h"

#define LANE_CANARY 12345.678f
#define LANE_MARGIN 64 /* floats before and behind an array */

/* Any NaN equals any other: which of its bits an operation keeps is the processor's affair. */
static inline bool same_floats(const float *a, const float *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (memcmp(&a[i], &b[i], sizeof *a) != 0 && !(isnan(a[i]) && isnan(b[i])))
            return false;
    return true;
}

/* An array of `count` floats that begins `shift` floats behind a multiple of 64 bytes. */
struct lane_array {
    float *block, *data;
    size_t size; /* floats in block */
};

static inline struct lane_array lane_array(size_t count, size_t shift)
{
    struct lane_array a = {.size = (count + shift + 2 * LANE_MARGIN + 15) / 16 * 16};
    a.block = aligned_alloc(64, a.size * sizeof *a.block);
    if (!a.block)
        bail("no memory for a test's array");
    for (size_t i = 0; i < a.size; i++)
        a.block[i] = LANE_CANARY;
    a.data = a.block + LANE_MARGIN + shift;
    return a;
}

static inline void lane_copy(const struct lane_array *from, struct lane_array *to)
{
    memcpy(to->block, from->block, from->size * sizeof *from->block);
}

static inline bool lane_same(const struct lane_array *a, const struct lane_array *b)
{
    return a->size == b->size && same_floats(a->block, b->block, a->size);
}

static inline size_t random_size(size_t low, size_t high)
{
    return low + reference_random() % (high - low + 1);
}

/* Mostly ordinary, at times tiny, huge, zero, or (if `odd`) denormal, infinite or NaN. */
static inline float random_float(bool odd)
{
    static const float special[] = {0.0f, -0.0f, 1e-41f, -0x1p-149f, INFINITY, -INFINITY, NAN, 3e38f};
    float x = (float)reference_normal();
    switch (reference_random() % 64) {
    case 0: return x * 1e-12f;
    case 1: return x * 1e12f;
    case 2: return odd ? special[reference_random() % (sizeof special / sizeof *special)] : 0.0f;
    default: return x;
    }
}

static inline void random_floats(float *x, size_t count, bool odd)
{
    for (size_t i = 0; i < count; i++)
        x[i] = random_float(odd);
}

/* An x whose gaps between rows hold NaN: whoever reads them shows it. */
static inline struct lane_array spread(size_t rows, size_t width, size_t stride, bool odd)
{
    struct lane_array x = lane_array(rows * stride, random_size(0, 3));
    for (size_t i = 0; i < x.size; i++)
        x.block[i] = NAN;
    for (size_t r = 0; r < rows; r++)
        random_floats(x.data + r * stride, width, odd);
    return x;
}

#endif
