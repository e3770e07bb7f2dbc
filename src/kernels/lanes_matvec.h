/* lanes_matvec.h - what the vector products of all types share: extraction, runs of weights, prefetching.
 *
 * A lane is an output. In a run of neighbouring inputs, whose weights stand at one position of successive words
 * (interleave.h), a weight is
 *
 *     w = fma(number(word & mask), scale / 2^position, offset)
 *
 * Scaling by a power of two is exact, so no weight is shifted: three vector operations for LANES_WIDTH weights. At one
 * row, sum = fma(x[k], w, sum) follows at once, with sums in registers for the length of a run; the outputs' two
 * halves take turns, so that there are twice as many chains of sums as registers for them, and one's latency hides
 * behind the other. For more rows the weights go to a small panel, which all rows' tiles then share.
 *
 * Operations a vector of weights at one row, headers included (multiply-adds of them), and bytes it takes from
 * memory at 8 lanes. 4 vector and 2 multiply-add pipes make the instruction roof.
 *
 *     Q4_K 4.5 (2.3)  4.5 bytes     Q6_K 4.8 (2.3)  6.6 bytes     Q5_0 4.7 (2.2)  5.5 bytes
 *     Q8_0 4.6 (2.0)  8.5 bytes     F16  2   (1)    16 bytes      F32  1   (1)     32 bytes
 */
#ifndef PHI3SAT_KERNELS_LANES_MATVEC_H
#define PHI3SAT_KERNELS_LANES_MATVEC_H

#include "interleave.h"
#include "lanes_columns.h"

/* What is constant in every call (`how` to take a weight, whether there is a panel) decides at compile time. */
#define MATVEC_INLINE static inline __attribute__((always_inline))

/* Vectors of a group's outputs, and how many of them a run takes through its inputs together. */
#define MATVEC_VECTORS (INTERLEAVE_ROWS / LANES_WIDTH)
#define MATVEC_TOGETHER 4

/* Inputs of a part: what is decoded at a time. */
#define MATVEC_PART 32

/* One part of a group: up to 32 inputs of all outputs. */
struct matvec_part {
    const uint8_t *block;   /* the group's block: halves of one output are 2 bytes apart             */
    const uint8_t *words;   /* its first word, 4 bytes an output                                     */
    const char *ahead;      /* this part's share of the bytes to ask for                             */
    const float *x;         /* [part]: at one row                                                   */
    float *sums;            /* [outputs]: at one row                                                 */
    float *panel;           /* [part][outputs]: for more                                             */
    lanes_f (*scale)[MATVEC_VECTORS], (*offset)[MATVEC_VECTORS]; /* [8]: a block's, for types that make them at once */
};

MATVEC_INLINE lanes_u matvec_words(const uint8_t *at)
{
    lanes_u v;
    memcpy(&v, at, sizeof v);
    return v;
}

MATVEC_INLINE lanes_u matvec_pairs(const uint8_t *at)
{
    typedef uint16_t lanes_s __attribute__((vector_size(2 * LANES_WIDTH)));
    lanes_s v;
    memcpy(&v, at, sizeof v);
    return __builtin_convertvector(v, lanes_u);
}

MATVEC_INLINE lanes_f matvec_halves(const uint8_t *at)
{
#if defined(__AVX512F__)
    return (lanes_f)_mm512_cvtph_ps(_mm256_loadu_si256((const __m256i_u *)at));
#elif defined(__AVX2__) && defined(__FMA__)
    return (lanes_f)_mm256_cvtph_ps(_mm_loadu_si128((const __m128i_u *)at));
#else
    return lanes_half(matvec_pairs(at));
#endif
}

/* Asks for `bytes` bytes; they need not begin with a cache line. */
MATVEC_INLINE void matvec_ask(const char *ahead, int bytes)
{
#pragma GCC unroll 8
    for (int line = 0; line < bytes / 64 + (bytes % 64 != 0); line++)
        __builtin_prefetch(ahead + 64 * line);
}

/* How a weight comes out of its word. What is done is constant in every call; `mask` need not be. */
struct matvec_place {
    enum { MATVEC_MASK, MATVEC_LEFT_MASK, MATVEC_RIGHT } how;
    int shift;
    uint32_t mask;
};

MATVEC_INLINE lanes_f matvec_take(const uint8_t *word, struct matvec_place place)
{
    lanes_u q = matvec_words(word);
    if (place.how == MATVEC_RIGHT)
        q >>= place.shift;
    if (place.how == MATVEC_LEFT_MASK)
        q <<= place.shift;
    if (place.how != MATVEC_RIGHT)
        q &= place.mask;
    return lanes_number(q);
}

/* Inputs k .. k + count - 1 of the part: weights made by take(word, place), MATVEC_TOGETHER outputs' vectors at
 * a time. `from` is the first of the words that follow each other. The empty statement keeps the compiler from
 * loading words once for several runs: it would have to keep them in memory anyway. */
MATVEC_INLINE void matvec_run(int alone, int count, const struct matvec_part *p, const uint8_t *from,
                              struct matvec_place place, const lanes_f *scale, const lanes_f *offset, int k)
{
#pragma GCC unroll 4
    for (int h = 0; h < MATVEC_VECTORS; h += MATVEC_TOGETHER) {
        const uint8_t *word = from + h * (int)sizeof(lanes_f);
        float *sums = p->sums + h * LANES_WIDTH, *panel = p->panel + k * INTERLEAVE_ROWS + h * LANES_WIDTH;
        lanes_f sum[MATVEC_TOGETHER];
        __asm__ volatile("" : "+r"(word));
        for (int v = 0; alone && v < MATVEC_TOGETHER; v++)
            sum[v] = lanes_load(sums + v * LANES_WIDTH);
#pragma GCC unroll 16
        for (int c = 0; c < count; c++, word += 4 * INTERLEAVE_ROWS) {
            lanes_f value = lanes_all(alone ? p->x[k + c] : 0.0f);
#pragma GCC unroll 4
            for (int v = 0; v < MATVEC_TOGETHER; v++) {
                lanes_f w = matvec_take(word + v * (int)sizeof(lanes_f), place);
                w = offset ? lanes_fma(w, scale[h + v], offset[h + v]) : scale[h + v] * w;
                if (alone)
                    sum[v] = lanes_fma(value, w, sum[v]);
                else
                    lanes_store(panel + c * INTERLEAVE_ROWS + v * LANES_WIDTH, w);
            }
        }
        for (int v = 0; alone && v < MATVEC_TOGETHER; v++)
            lanes_store(sums + v * LANES_WIDTH, sum[v]);
    }
}

/* One input, whose weights w are made already: vector v of them. */
MATVEC_INLINE void matvec_one(int alone, const struct matvec_part *p, lanes_f w, int v, int k)
{
    float *sums = p->sums + v * LANES_WIDTH;
    if (alone)
        lanes_store(sums, lanes_fma(lanes_all(p->x[k]), w, lanes_load(sums)));
    else
        lanes_store(p->panel + k * INTERLEAVE_ROWS + v * LANES_WIDTH, w);
}

#endif
