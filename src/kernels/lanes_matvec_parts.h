/* lanes_matvec_parts.h - one part of each type for vector products; the layouts stand in interleave.h.
 *
 * Values are those of src/quants to the bit: q * scale is exact in float32, and so is (q - 16) * d of Q5_0 or
 * (q - 32) * scale of Q6_K, therefore fma(q, scale, -16 d) is too. Only the sign of a zero weight
 * and what becomes of an infinite scale can differ; lanes_matvec.c looks for these.
 *
 * A part of `alone` = 1 adds to the sums of one row, of 0 writes the panel; see lanes_matvec.h.
 */
#ifndef PHI3SAT_KERNELS_LANES_MATVEC_PARTS_H
#define PHI3SAT_KERNELS_LANES_MATVEC_PARTS_H

#include "lanes_matvec_avx2.h"

#define EACH_VECTOR _Pragma("GCC unroll 16") for (int v = 0; v < MATVEC_VECTORS; v++)

/* Half n or word n, vector v, and where words from n on stand. */
#define HALVES(n) matvec_halves(p->block + 2 * INTERLEAVE_ROWS * (n) + 2 * LANES_WIDTH * v)
#define WORDS_AT(n) (p->words + 4 * INTERLEAVE_ROWS * (n))
#define WORDS(n) matvec_words(WORDS_AT(n) + 4 * LANES_WIDTH * v)

#define PART(name) MATVEC_INLINE void part_##name(int alone, const struct matvec_part *p, int part)

/* Scales and offsets of a block's 8 sub-blocks; quants of the odd ones are taken 16 times too large. Not inlined: with
 * more room to move, GCC 12 loads all vectors' words first and keeps them in memory. */
static __attribute__((noinline)) void q4_k_scales(const struct matvec_part *p)
{
    for (int v = 0; v < MATVEC_VECTORS; v++) {
        const lanes_f d = HALVES(0), up = d * 0x1p-4f, minimum = -HALVES(1);
        const lanes_u a = WORDS(0), b = WORDS(1), c = WORDS(2);
#pragma GCC unroll 4
        for (int i = 0; i < 4; i++) {
            const int byte = 8 * i, more = 8 * i + 2;
            lanes_u high = a >> more, low = b >> more;
            p->scale[i][v] = (i % 2 ? up : d) * lanes_number(a >> byte & 63);
            p->offset[i][v] = minimum * lanes_number(b >> byte & 63);
            p->scale[4 + i][v] = (i % 2 ? up : d) * lanes_number((c >> byte & 15) | (high & 48));
            p->offset[4 + i][v] = minimum * lanes_number((c >> (byte + 4) & 15) | (low & 48));
        }
    }
}

/* Sub-block `part`: 8 words, whose byte t holds weights 8t .. 8t + 7 in its lower or upper half. */
MATVEC_INLINE void q4_k_half(int alone, const struct matvec_part *p, int part, int upper)
{
    const uint8_t *words = WORDS_AT(3 + part / 2 * 8);
    const lanes_f *minimum = p->offset[part];
    lanes_f scale[MATVEC_VECTORS];
    uint32_t mask = upper ? 0xf0 : 0x0f;
    if (part == 0)
        q4_k_scales(p);
#if LANES_WIDTH == 8
    if (alone) {
        matvec_q4_k_quad(p, words, upper, p->scale[part], minimum, 0);
        matvec_q4_k_quad(p, words, upper, p->scale[part], minimum, 4);
        return;
    }
#endif
    memcpy(scale, p->scale[part], sizeof scale);
    for (int t = 0; t < 4; t++, mask <<= 8) {
        matvec_ask(p->ahead + t * 288, 288);
        if (upper && t == 3) { /* bit 31 would be a sign */
            EACH_VECTOR scale[v] *= 0x1p28f;
            matvec_run(alone, 8, p, words, (struct matvec_place){MATVEC_RIGHT, 28, 0}, scale, minimum, 8 * t);
        } else {
            matvec_run(alone, 8, p, words, (struct matvec_place){MATVEC_MASK, 0, mask}, scale, minimum, 8 * t);
        }
        EACH_VECTOR scale[v] *= 0x1p-8f;
    }
}

PART(q4_k)
{
    if (part % 2)
        q4_k_half(alone, p, part, 1);
    else
        q4_k_half(alone, p, part, 0);
}

/* Bytes as signed numbers of 32 bits, 2^24 times too large. */
PART(q8_0)
{
    lanes_f d[MATVEC_VECTORS];
    (void)part;
    EACH_VECTOR d[v] = HALVES(0) * 0x1p-24f;
#pragma GCC unroll 4
    for (int t = 0; t < 4; t++) {
        matvec_ask(p->ahead + t * 544, 544);
        matvec_run(alone, 8, p, WORDS_AT(0), (struct matvec_place){MATVEC_LEFT_MASK, 24 - 8 * t, 0xff000000u}, d, NULL,
                   8 * t);
    }
}

PART(q5_0)
{
    lanes_f scale[MATVEC_VECTORS], offset[MATVEC_VECTORS];
    uint32_t mask = 31;
    (void)part;
    EACH_VECTOR {
        scale[v] = HALVES(0);
        offset[v] = -16.0f * scale[v];
    }
    for (int f = 0; f < 6; f++, mask <<= 5) {
        matvec_ask(p->ahead + f * 235, 235);
        matvec_run(alone, 5, p, WORDS_AT(0), (struct matvec_place){MATVEC_MASK, 0, mask}, scale, offset, 5 * f);
        EACH_VECTOR scale[v] *= 0x1p-5f;
    }
    EACH_VECTOR {
        lanes_u middle = WORDS(2), a = WORDS(0) >> 30 | WORDS(1) >> 30 << 2 | (middle >> 26 & 16);
        lanes_u b = WORDS(3) >> 30 | WORDS(4) >> 30 << 2 | middle >> 31 << 4;
        scale[v] *= 0x1p30f;
        matvec_one(alone, p, lanes_fma(lanes_number(a), scale[v], offset[v]), v, 30);
        matvec_one(alone, p, lanes_fma(lanes_number(b), scale[v], offset[v]), v, 31);
    }
}

/* Two sub-blocks of 16. */
PART(q6_k)
{
    for (int sub = 2 * part; sub < 2 * part + 2; sub++) {
        lanes_f scale[MATVEC_VECTORS], offset[MATVEC_VECTORS];
        int k = sub % 2 * 16;
        uint32_t mask = sub < 15 ? 63u << sub / 3 * 6 : 63;
        float unit = sub < 15 ? 1.0f / (float)(1 << sub / 3 * 6) : 1.0f;
        matvec_ask(p->ahead + sub % 2 * 840, 448);
        matvec_ask(p->ahead + sub % 2 * 840 + 448, 392);
        EACH_VECTOR {
            lanes_u word = WORDS(sub / 4) << (24 - sub % 4 * 8);
            scale[v] = HALVES(0) * __builtin_convertvector((lanes_i)word >> 24, lanes_f);
            offset[v] = -32.0f * scale[v];
            scale[v] *= unit;
        }
        if (sub < 15) {
            matvec_run(alone, 16, p, WORDS_AT(4 + sub % 3 * 16), (struct matvec_place){MATVEC_MASK, 0, mask}, scale,
                       offset, k);
            continue;
        }
        for (int i = 0; i < 16; i++)
            EACH_VECTOR {
                lanes_u q = WORDS(4 + i) >> 30 | WORDS(20 + i) >> 30 << 2 | WORDS(36 + i) >> 30 << 4;
                matvec_one(alone, p, lanes_fma(lanes_number(q), scale[v], offset[v]), v, k + i);
            }
    }
}

/* Plain types: a block is one weight, so a part is several blocks. */
#define PLAIN_PART(name, bytes, weight)                                                                                \
    MATVEC_INLINE void part_##name(int alone, const struct matvec_part *p, int part)                                   \
    {                                                                                                                  \
        const uint8_t *from = p->block;                                                                                \
        for (int h = 0; h < MATVEC_VECTORS; h += MATVEC_TOGETHER) {                                                    \
            lanes_f sum[MATVEC_TOGETHER];                                                                              \
            for (int v = 0; alone && v < MATVEC_TOGETHER; v++)                                                         \
                sum[v] = lanes_load(p->sums + (h + v) * LANES_WIDTH);                                                  \
            for (int k = 0; k < part; k++) {                                                                           \
                lanes_f value = lanes_all(alone ? p->x[k] : 0.0f);                                                     \
                const uint8_t *at = from + (bytes) * (k * INTERLEAVE_ROWS + h * LANES_WIDTH);                          \
                matvec_ask(p->ahead + (at - from), (bytes) * MATVEC_TOGETHER * LANES_WIDTH / 64 * 64);                 \
                _Pragma("GCC unroll 4") for (int v = 0; v < MATVEC_TOGETHER; v++, at += (bytes) * LANES_WIDTH)         \
                {                                                                                                      \
                    lanes_f w = weight;                                                                                \
                    if (alone)                                                                                         \
                        sum[v] = lanes_fma(value, w, sum[v]);                                                          \
                    else                                                                                               \
                        lanes_store(p->panel + k * INTERLEAVE_ROWS + (h + v) * LANES_WIDTH, w);                        \
                }                                                                                                      \
            }                                                                                                          \
            for (int v = 0; alone && v < MATVEC_TOGETHER; v++)                                                         \
                lanes_store(p->sums + (h + v) * LANES_WIDTH, sum[v]);                                                  \
        }                                                                                                              \
    }

PLAIN_PART(f32, 4, (lanes_f)matvec_words(at))
PLAIN_PART(f16, 2, matvec_halves(at))
PLAIN_PART(bf16, 2, (lanes_f)(matvec_pairs(at) << 16)) /* a NaN stays one, so it needs no care */

#endif
