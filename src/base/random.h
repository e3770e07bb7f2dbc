/* random.h - seeded random numbers that are the same on every machine.
 *
 * A stream is named by a seed and up to three numbers (a layer, a tensor, a row), so
 * that threads can draw any part of a whole in any order and get the same whole.
 */
#ifndef PHI3SAT_BASE_RANDOM_H
#define PHI3SAT_BASE_RANDOM_H

#include <stdint.h>
#include <stddef.h>

/* A stream under way; a plain value. */
struct random_stream {
    uint64_t state;
};

/* The stream of `seed` that a, b and c name. Different names give unrelated streams. */
struct random_stream random_open(uint64_t seed, uint64_t a, uint64_t b, uint64_t c);

/* 64 uniform bits. */
uint64_t random_bits(struct random_stream *r);

/* Uniform in 0..limit-1, without bias; limit >= 1. */
uint64_t random_below(struct random_stream *r, uint64_t limit);

/* Uniform in [0, 1), a multiple of 2^-53. */
double random_unit(struct random_stream *r);

/* out[count], mean 0, the given deviation; nearly normal, |x| <= 6 deviations (see random.c). */
void random_normal(struct random_stream *r, float deviation, size_t count, float *out);

/* order[count] becomes a random order of 0..count-1. */
void random_order(struct random_stream *r, size_t count, uint32_t *order);

#endif
