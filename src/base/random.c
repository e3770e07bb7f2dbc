/* random.c - splitmix64 streams and a normal deviate made of whole numbers; see random.h.
 *
 * splitmix64 (Steele, Lea and Flood 2014) is a counter with a good mixer: one add, two
 * products a number, and any name makes a good start. Period 2^64, far more than a row needs.
 *
 * A normal deviate is the number of ones among 32 bits (binomial, deviation sqrt 8) with
 * a triangular smear of width 2 from two 16-bit numbers: a density of straight lines between
 * the binomial's points, variance 8 + 1/6, excess kurtosis -0.06, and no larger than 17 /
 * sqrt(8 + 1/6) = 5.95. Only whole numbers and one product are involved, so that no math
 * library has a say; Box-Muller was rejected because log and cos differ between libraries in
 * the last bit.
 */
#include "random.h"

#define GOLDEN 0x9e3779b97f4a7c15u

static uint64_t mix(uint64_t z)
{
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

struct random_stream random_open(uint64_t seed, uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t state = mix(seed + GOLDEN);
    state = mix(state + a + GOLDEN);
    state = mix(state + b + GOLDEN);
    return (struct random_stream){mix(state + c + GOLDEN)};
}

uint64_t random_bits(struct random_stream *r)
{
    r->state += GOLDEN;
    return mix(r->state);
}

uint64_t random_below(struct random_stream *r, uint64_t limit)
{
    /* Lowest values that would make the remainder uneven are drawn again. */
    const uint64_t uneven = (0 - limit) % limit;
    uint64_t bits = random_bits(r);
    while (bits < uneven)
        bits = random_bits(r);
    return bits % limit;
}

double random_unit(struct random_stream *r)
{
    return (double)(random_bits(r) >> 11) * 0x1p-53;
}

static uint32_t ones(uint32_t x)
{
    x -= x >> 1 & 0x55555555u;
    x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0fu;
    return x * 0x01010101u >> 24;
}

void random_normal(struct random_stream *r, float deviation, size_t count, float *out)
{
    /* 1 / (65536 sqrt(8 + 1/6)) */
    const float unit = deviation * 5.339464e-06f;
    for (size_t i = 0; i < count; i++) {
        uint64_t bits = random_bits(r);
        int32_t smear = (int32_t)(bits >> 48) + (int32_t)(bits >> 32 & 0xffff) + 1;
        int32_t whole = (int32_t)ones((uint32_t)bits) - 17;
        out[i] = (float)(whole * 65536 + smear) * unit;
    }
}

void random_order(struct random_stream *r, size_t count, uint32_t *order)
{
    for (size_t i = 0; i < count; i++)
        order[i] = (uint32_t)i;
    for (size_t i = count; i > 1; i--) {
        size_t j = (size_t)random_below(r, i);
        uint32_t kept = order[i - 1];
        order[i - 1] = order[j];
        order[j] = kept;
    }
}
