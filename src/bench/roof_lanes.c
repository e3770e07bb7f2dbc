/* roof_lanes.c - the fastest loops of this instruction set; compiled once per set like kernels/lanes_*.c.
 *
 * Roofs are upper bounds: only the instructions that no product can do without, on registers. They are written
 * in assembly, since a compiler would see that nobody needs the results. A chain waits some 4 cycles for
 * itself and 2 (a wide ARM: 4) can start each cycle, so there are 10 or more.
 *
 * Integer dots. AVX-512 has them as one instruction (VNNI). AVX2 needs vpmaddwd and an addition for 16 bits; for 8
 * bits vpmaddubsw and an addition of 16 bits, which a kernel has to widen now and then: that isn't in the
 * roof. NEON without extensions multiplies into sums of twice the width.
 */
#include "roof_lanes.h"

#include "../kernels/lanes.h"

#define TEN(chain) chain(0) chain(1) chain(2) chain(3) chain(4) chain(5) chain(6) chain(7) chain(8) chain(9)

#define TEN_OPERANDS(constraint)                                                                                       \
    constraint(a[0]), constraint(a[1]), constraint(a[2]), constraint(a[3]), constraint(a[4]), constraint(a[5]),        \
        constraint(a[6]), constraint(a[7]), constraint(a[8]), constraint(a[9])

/* A loop of ten chains over registers of `type`; the text names chains %0 to %9, factors %11 and %12, and may
 * use %10 for a product. */
#define LOOP(name, type, TEXT, constraint)                                                                             \
    static void name(size_t steps)                                                                                     \
    {                                                                                                                  \
        type a[10], product, x = {0}, y = {0};                                                                         \
        for (int i = 0; i < 10; i++)                                                                                   \
            a[i] = (type){0};                                                                                          \
        for (size_t step = 0; step < steps; step++)                                                                    \
            __asm__ volatile(TEN(TEXT)                                                                                 \
                             : TEN_OPERANDS("+" constraint), "=&" constraint(product)                                  \
                             : constraint(x), constraint(y));                                                          \
    }

#if defined(__AVX512F__)

#define FMA_TEXT(i) "vfmadd231ps %11, %12, %" #i "\n\t"
#define INT16_TEXT(i) "vpdpwssd %11, %12, %" #i "\n\t"
#define INT8_TEXT(i) "vpdpbusd %11, %12, %" #i "\n\t"
#define DECODE_TEXT(i) "vpandd %11, %12, %10\n\tvcvtdq2ps %10, %10\n\tvfmadd213ps %11, %12, %10\n\tvfmadd231ps %11, %10, %" #i "\n\t"
#define DECODE_NAME "vpandd + vcvtdq2ps + 2 vfmadd zmm"
#define REGISTER "v"
#define FMA_NAME "vfmadd231ps zmm"
#define INT16_NAME "vpdpwssd zmm"
#define INT8_NAME "vpdpbusd zmm"
#define INT16_PRODUCTS 32
#define INT8_PRODUCTS 64

#elif defined(__AVX2__)

#define FMA_TEXT(i) "vfmadd231ps %11, %12, %" #i "\n\t"
#define INT16_TEXT(i) "vpmaddwd %11, %12, %10\n\tvpaddd %10, %" #i ", %" #i "\n\t"
#define INT8_TEXT(i) "vpmaddubsw %11, %12, %10\n\tvpaddw %10, %" #i ", %" #i "\n\t"
#define DECODE_TEXT(i) "vpand %11, %12, %10\n\tvcvtdq2ps %10, %10\n\tvfmadd213ps %11, %12, %10\n\tvfmadd231ps %11, %10, %" #i "\n\t"
#define DECODE_NAME "vpand + vcvtdq2ps + 2 vfmadd ymm"
#define REGISTER "x"
#define FMA_NAME "vfmadd231ps ymm"
#define INT16_NAME "vpmaddwd + vpaddd ymm"
#define INT8_NAME "vpmaddubsw + vpaddw ymm"
#define INT16_PRODUCTS 16
#define INT8_PRODUCTS 32

#elif defined(__aarch64__)

#define FMA_TEXT(i) "fmla %" #i ".4s, %11.4s, %12.4s\n\t"
#define INT16_TEXT(i) "smlal %" #i ".4s, %11.4h, %12.4h\n\t"
#define INT8_TEXT(i) "smlal %" #i ".8h, %11.8b, %12.8b\n\t"
#define DECODE_TEXT(i) "and %10.16b, %11.16b, %12.16b\n\tscvtf %10.4s, %10.4s\n\tfmla %10.4s, %11.4s, %12.4s\n\tfmla %" #i ".4s, %10.4s, %11.4s\n\t"
#define DECODE_NAME "and + scvtf + 2 fmla 4s"
#define REGISTER "w"
#define FMA_NAME "fmla 4s"
#define INT16_NAME "smlal 4s"
#define INT8_NAME "smlal 8h"
#define INT16_PRODUCTS 4
#define INT8_PRODUCTS 8

#elif defined(__SSE2__)

#define INT16_TEXT(i) "movdqa %11, %10\n\tpmaddwd %12, %10\n\tpaddd %10, %" #i "\n\t"
#define INT8_TEXT(i) INT16_TEXT(i)
#define REGISTER "x"
#define INT16_NAME "pmaddwd + paddd xmm"
#define INT8_NAME INT16_NAME
#define INT16_PRODUCTS 8
#define INT8_PRODUCTS 8

#endif

#ifdef FMA_TEXT
LOOP(fma_loop, lanes_f, FMA_TEXT, REGISTER)
#else
#define FMA_NAME "fmaf, called"

/* The reference's fused multiply-add is a call of the C library where the compiler may not use the instruction. */
static void fma_loop(size_t steps)
{
    lanes_f a[10], x = {0}, y = {0};
    for (int i = 0; i < 10; i++)
        a[i] = lanes_all((float)i);
    for (size_t step = 0; step < steps; step++) {
        __asm__ volatile("" : "+m"(x), "+m"(y)); /* may have changed: nothing is computed once for all steps */
        for (int i = 0; i < 10; i++)
            a[i] = lanes_fma(x, y, a[i]);
        __asm__ volatile("" : : "m"(a));
    }
}
#endif

#ifdef INT16_TEXT
LOOP(int16_loop, lanes_i, INT16_TEXT, REGISTER)
LOOP(int8_loop, lanes_i, INT8_TEXT, REGISTER)
#else
#define INT16_NAME "32-bit multiply and add"
#define INT8_NAME INT16_NAME
#define INT16_PRODUCTS LANES_WIDTH
#define INT8_PRODUCTS LANES_WIDTH

static void int16_loop(size_t steps)
{
    lanes_i a[10] = {{0}}, x = {0}, y = {0};
    for (size_t step = 0; step < steps; step++) {
        __asm__ volatile("" : "+m"(x), "+m"(y));
        for (int i = 0; i < 10; i++)
            a[i] += x * y;
        __asm__ volatile("" : : "m"(a));
    }
}

#define int8_loop int16_loop
#endif

#ifdef DECODE_TEXT
LOOP(decode_loop, lanes_f, DECODE_TEXT, REGISTER)
#define DECODE_STEPS 2
#else /* the reference's multiply-adds are calls, beside which nothing counts */
#define DECODE_NAME FMA_NAME
#define DECODE_STEPS 1
#define decode_loop fma_loop
#endif

#define OPERATIONS(products) (2.0 * 10.0 * (products))

const struct roof_loop LANES(roof_lanes_fma) = {FMA_NAME, OPERATIONS(LANES_WIDTH), fma_loop};
const struct roof_loop LANES(roof_lanes_int16) = {INT16_NAME, OPERATIONS(INT16_PRODUCTS), int16_loop};
const struct roof_loop LANES(roof_lanes_int8) = {INT8_NAME, OPERATIONS(INT8_PRODUCTS), int8_loop};
const struct roof_loop LANES(roof_lanes_decode) = {DECODE_NAME, DECODE_STEPS * OPERATIONS(LANES_WIDTH), decode_loop};

/* Eight registers, so that no addition waits for another. */
#define STREAMS 8

uint64_t LANES(roof_lanes_read)(const void *bytes, size_t size)
{
    const lanes_i *at = __builtin_assume_aligned(bytes, 64);
    lanes_i sum[STREAMS] = {{0}};
    uint64_t all = 0;
    for (size_t n = size / sizeof *at; n >= STREAMS; n -= STREAMS, at += STREAMS)
#pragma GCC unroll 8
        for (int i = 0; i < STREAMS; i++)
            sum[i] ^= at[i];
    for (int i = 0; i < STREAMS; i++)
        for (int lane = 0; lane < LANES_WIDTH; lane++)
            all ^= (uint64_t)(uint32_t)sum[i][lane] << (i % 2 * 32);
    return all;
}
