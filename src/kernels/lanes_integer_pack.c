/* lanes_integer_pack.c - activations in 16 or 8 bits, one scale for each 256 of a row.
 *
 * With M the largest magnitude of the unit, q = round(x * (limit / M)), ties to even, and scale = M / limit,
 * limit = 32767 or 127: |q| <= limit, since x * (limit / M) <= limit (1 + 2^-22) rounds to limit.
 * Each row is done by itself, so batches can't change a bit.
 *
 * A unit with a NaN or an infinity has the scale NaN, so that all outputs of the row become NaN: as in float32
 * none is a number. A unit whose magnitudes all are below 2^-100 counts as 0: the reciprocal could overflow.
 */
#include "lanes_integer.h"
#include "lanes_table.h"

#define TINY_BITS 0x0d800000 /* 2^-100 */
#define INFINITE_BITS 0x7f800000
#define ROUNDING 12582912.0f /* 1.5 * 2^23: adding it leaves x rounded to an integer in the last bits */

/* The largest magnitude as bits, whose order is that of the numbers; NaN and infinity stand above all. */
static int32_t largest_bits(const float *x)
{
    lanes_i most = {0};
    for (size_t k = 0; k < INTEGER_UNIT; k += LANES_WIDTH) {
        lanes_i bits = (lanes_i)lanes_magnitude(lanes_load(x + k));
        lanes_i larger = bits > most;
        most = (bits & larger) | (most & ~larger);
    }
    int32_t all = 0;
    for (int i = 0; i < LANES_WIDTH; i++)
        all = most[i] > all ? most[i] : all;
    return all;
}

/* q[256] of the unit; returns its scale. */
static float quantise(const float *x, float limit, int32_t *q)
{
    int32_t bits = largest_bits(x);
    float largest;
    memcpy(&largest, &bits, sizeof largest);
    if (bits >= INFINITE_BITS || bits < TINY_BITS) {
        memset(q, 0, INTEGER_UNIT * sizeof *q);
        return bits >= INFINITE_BITS ? __builtin_nanf("") : 0.0f;
    }
    const lanes_f factor = lanes_all(limit / largest);
    const lanes_i base = (lanes_i)lanes_all(ROUNDING);
    for (size_t k = 0; k < INTEGER_UNIT; k += LANES_WIDTH)
        integer_store(q + k, (lanes_i)(lanes_load(x + k) * factor + ROUNDING) - base);
    return largest / limit;
}

static void sums_of_16(const int32_t *q, int32_t sum[16])
{
    for (int s = 0; s < 16; s++) {
        sum[s] = 0;
        for (int k = 0; k < 16; k++)
            sum[s] += q[16 * s + k];
    }
}

/* The unit that begins at input k, padded with zeros past the row's end. */
static const float *unit_of(const float *x, size_t k, size_t inputs, float *padded)
{
    if (inputs - k >= INTEGER_UNIT)
        return x + k;
    memset(padded, 0, INTEGER_UNIT * sizeof *padded);
    memcpy(padded, x + k, (inputs - k) * sizeof *padded);
    return padded;
}

static uint32_t halves(int32_t low, int32_t high)
{
    return ((uint32_t)low & 0xffff) | (uint32_t)high << 16;
}

static void pack_unit_int16(const float *x, size_t rows, uint32_t *out)
{
    int32_t q[INTEGER_UNIT], sum[16];
    float scale = quantise(x, INT16_LIMIT, q);
    sums_of_16(q, sum);
    for (size_t c = 0; c < INT16_STEPS / 2; c++) {
        out[2 * c * rows] = halves(q[4 * c], q[4 * c + 2]);
        out[(2 * c + 1) * rows] = halves(q[4 * c + 1], q[4 * c + 3]);
    }
    for (size_t s = 0; s < 16; s++) {
        float one = (float)sum[s], both = (float)(sum[s] + sum[s | 1]);
        memcpy(&out[(INT16_SUMS16 + s) * rows], &one, sizeof one);
        if (s % 2 == 0)
            memcpy(&out[(INT16_SUMS32 + s / 2) * rows], &both, sizeof both);
    }
    memcpy(&out[INT16_SCALE * rows], &scale, sizeof scale);
}

static void pack_unit_int8(const float *x, size_t rows, uint32_t *out)
{
    int32_t q[INTEGER_UNIT], sum[16], both[8];
    float scale = quantise(x, INT8_LIMIT, q);
    sums_of_16(q, sum);
    for (size_t c = 0; c < INT8_STEPS; c++) {
        const int32_t *four = q + 4 * c;
        out[c * rows] = ((uint32_t)four[0] & 255) | ((uint32_t)four[1] & 255) << 8 | ((uint32_t)four[2] & 255) << 16 |
                        (uint32_t)four[3] << 24;
    }
    for (size_t s = 0; s < 8; s++) {
        both[s] = sum[2 * s] + sum[2 * s + 1];
        float number = (float)both[s];
        out[(INT8_PAIRS16 + s) * rows] = halves(sum[2 * s], sum[2 * s + 1]);
        memcpy(&out[(INT8_SUMS32 + s) * rows], &number, sizeof number);
    }
    for (size_t s = 0; s < 4; s++)
        out[(INT8_PAIRS32 + s) * rows] = halves(both[2 * s], both[2 * s + 1]);
    memcpy(&out[INT8_SCALE * rows], &scale, sizeof scale);
}

void LANES(lanes_pack_int16)(size_t rows, size_t inputs, const float *x, size_t x_stride, void *packed)
{
    float padded[INTEGER_UNIT];
    uint32_t *out = packed;
    for (size_t k = 0; k < inputs; k += INTEGER_UNIT, out += INT16_ROW * rows)
        for (size_t r = 0; r < rows; r++)
            pack_unit_int16(unit_of(x + r * x_stride, k, inputs, padded), rows, out + r);
}

void LANES(lanes_pack_int8)(size_t rows, size_t inputs, const float *x, size_t x_stride, void *packed)
{
    float padded[INTEGER_UNIT];
    uint32_t *out = packed;
    for (size_t k = 0; k < inputs; k += INTEGER_UNIT, out += INT8_ROW * rows)
        for (size_t r = 0; r < rows; r++)
            pack_unit_int8(unit_of(x + r * x_stride, k, inputs, padded), rows, out + r);
}
