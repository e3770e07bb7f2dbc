/* lanes_matvec_avx2.h - the inner loop of Q4_K's vector product at one row, register by register.
 *
 * 4 sums, 4 scales, 4 offsets, a mask, a value and two weights are all 16 registers. Left to itself GCC 12 keeps some
 * of them in memory, and two loads a vector of weights take longer than its four operations. All calls share one
 * loop: unrolled for each half, it outgrows the cache of decoded instructions and runs at half the speed.
 */
#ifndef PHI3SAT_KERNELS_LANES_MATVEC_AVX2_H
#define PHI3SAT_KERNELS_LANES_MATVEC_AVX2_H

#include "lanes_matvec.h"

#if LANES_WIDTH == 8

/* Four vectors of outputs of one group: what a loop over inputs keeps. */
struct matvec_quad {
    lanes_f sum[4], scale[4], offset[4];
    lanes_u mask;
};

/* w = mask & word (or word >> 28), as a number; sum v += value * fma(w, scale v, offset v). Words of successive
 * inputs are 256 bytes apart, vectors 32. */
#define MATVEC_MASKED(at, w) "vpand " at ", %[mask], %[" w "]\n\t"
#define MATVEC_SHIFTED(at, w) "vmovdqu " at ", %[" w "]\n\tvpsrld $28, %[" w "], %[" w "]\n\t"
#define MATVEC_TERM(TAKE, c, v, w)                                                                                     \
    TAKE("256*" #c "+32*" #v "(%[word])", w)                                                                           \
    "vcvtdq2ps %[" w "], %[" w "]\n\t"                                                                                 \
    "vfmadd132ps %[c" #v "], %[o" #v "], %[" w "]\n\t"                                                                 \
    "vfmadd231ps %[value], %[" w "], %[s" #v "]\n\t"
#define MATVEC_INPUT(TAKE, c)                                                                                          \
    "vbroadcastss 4*" #c "(%[x]), %[value]\n\t" MATVEC_TERM(TAKE, c, 0, "w0") MATVEC_TERM(TAKE, c, 1, "w1")            \
    MATVEC_TERM(TAKE, c, 2, "w0") MATVEC_TERM(TAKE, c, 3, "w1")
#define MATVEC_EIGHT(TAKE)                                                                                             \
    MATVEC_INPUT(TAKE, 0) MATVEC_INPUT(TAKE, 1) MATVEC_INPUT(TAKE, 2) MATVEC_INPUT(TAKE, 3)                            \
    MATVEC_INPUT(TAKE, 4) MATVEC_INPUT(TAKE, 5) MATVEC_INPUT(TAKE, 6) MATVEC_INPUT(TAKE, 7)
#define MATVEC_RUN(TAKE)                                                                                               \
    do {                                                                                                               \
        lanes_f value, w0, w1;                                                                                         \
        __asm__ volatile(MATVEC_EIGHT(TAKE)                                                                            \
                         : [s0] "+x"(q->sum[0]), [s1] "+x"(q->sum[1]), [s2] "+x"(q->sum[2]), [s3] "+x"(q->sum[3]),     \
                           [value] "=&x"(value), [w0] "=&x"(w0), [w1] "=&x"(w1)                                        \
                         : [c0] "x"(q->scale[0]), [c1] "x"(q->scale[1]), [c2] "x"(q->scale[2]),                        \
                           [c3] "x"(q->scale[3]), [o0] "x"(q->offset[0]), [o1] "x"(q->offset[1]),                      \
                           [o2] "x"(q->offset[2]), [o3] "x"(q->offset[3]), [mask] "x"(q->mask), [word] "r"(word),      \
                           [x] "r"(x)                                                                                  \
                         : "memory");                                                                                  \
    } while (0)

/* Eight inputs whose weights stand at the mask's place of eight words, or (last) in their upper four bits. */
MATVEC_INLINE void matvec_quad_run(struct matvec_quad *q, int last, const uint8_t *word, const float *x)
{
    if (last)
        MATVEC_RUN(MATVEC_SHIFTED);
    else
        MATVEC_RUN(MATVEC_MASKED);
}

/* Vectors h .. h + 3 of the outputs, a sub-block of 32 inputs in the lower or upper halves of 8 words' bytes. */
static __attribute__((noinline)) void matvec_q4_k_quad(const struct matvec_part *p, const uint8_t *from, int upper, const lanes_f *scale,
                                    const lanes_f *offset, int h)
{
    struct matvec_quad q;
    const uint8_t *word = from + h * (int)sizeof(lanes_f);
    float *sums = p->sums + h * LANES_WIDTH;
    q.mask = (upper ? 0xf0u : 0x0fu) - (lanes_u){0};
#pragma GCC unroll 4
    for (int v = 0; v < 4; v++) {
        q.sum[v] = lanes_load(sums + v * LANES_WIDTH);
        q.scale[v] = scale[h + v];
        q.offset[v] = offset[h + v];
    }
#pragma GCC unroll 1
    for (int t = 0; t < 4; t++) {
        if (upper && t == 3) /* bit 31 would be a sign */
#pragma GCC unroll 4
            for (int v = 0; v < 4; v++)
                q.scale[v] *= 0x1p28f;
        matvec_quad_run(&q, upper && t == 3, word, p->x + 8 * t);
        matvec_ask(p->ahead + (t + h) * 144, 144);
        
#pragma GCC unroll 4
        for (int v = 0; v < 4; v++)
            q.scale[v] *= 0x1p-8f;
        q.mask <<= 8;
    }
#pragma GCC unroll 4
    for (int v = 0; v < 4; v++)
        lanes_store(sums + v * LANES_WIDTH, q.sum[v]);
}

#endif
#endif
