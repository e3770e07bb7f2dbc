/* blocks32.h - block formats of 32 weights: Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q8_1.
 *
 * Byte layouts (all numbers little-endian, `half` is an IEEE binary16) and the
 * decoders that quants_format.decode points to. In the pictures byte 0 is left.
 */
#ifndef PHI3SAT_QUANTS_BLOCKS32_H
#define PHI3SAT_QUANTS_BLOCKS32_H

#include <stdint.h>
#include <stddef.h>

#define BLOCKS32_ELEMENTS 32

/*  | half d | 16 bytes q |     byte j: low nibble q[j], high nibble q[j + 16]
 *  w[i] = d * (q[i] - 8)                                                       */
struct blocks32_q4_0 { uint8_t d[2], q[16]; };

/*  | half d | half m | 16 bytes q |                       nibbles as in Q4_0
 *  w[i] = d * q[i] + m                                                         */
struct blocks32_q4_1 { uint8_t d[2], m[2], q[16]; };

/*  | half d | 4 bytes high | 16 bytes q |   high: a 32-bit number; bit i is bit 4
 *  w[i] = d * (q[i] + 16 high[i] - 16)      of weight i; nibbles as in Q4_0     */
struct blocks32_q5_0 { uint8_t d[2], high[4], q[16]; };

/*  | half d | half m | 4 bytes high | 16 bytes q |        bits as in Q5_0
 *  w[i] = d * (q[i] + 16 high[i]) + m                                          */
struct blocks32_q5_1 { uint8_t d[2], m[2], high[4], q[16]; };

/*  | half d | 32 signed bytes q |
 *  w[i] = d * q[i]                                                             */
struct blocks32_q8_0 { uint8_t d[2]; int8_t q[32]; };

/*  | half d | half sum | 32 signed bytes q |   sum: d times the sum of q, a help for products that weights don't need
 *  w[i] = d * q[i]                                                             */
struct blocks32_q8_1 { uint8_t d[2], sum[2]; int8_t q[32]; };

_Static_assert(sizeof(struct blocks32_q4_0) == 18, "4.5 bits a weight");
_Static_assert(sizeof(struct blocks32_q4_1) == 20, "5 bits a weight");
_Static_assert(sizeof(struct blocks32_q5_0) == 22, "5.5 bits a weight");
_Static_assert(sizeof(struct blocks32_q5_1) == 24, "6 bits a weight");
_Static_assert(sizeof(struct blocks32_q8_0) == 34, "8.5 bits a weight");
_Static_assert(sizeof(struct blocks32_q8_1) == 36, "9 bits a weight");

void blocks32_decode_q4_0(const uint8_t *bytes, size_t blocks, float *out);
void blocks32_decode_q4_1(const uint8_t *bytes, size_t blocks, float *out);
void blocks32_decode_q5_0(const uint8_t *bytes, size_t blocks, float *out);
void blocks32_decode_q5_1(const uint8_t *bytes, size_t blocks, float *out);
void blocks32_decode_q8_0(const uint8_t *bytes, size_t blocks, float *out);
void blocks32_decode_q8_1(const uint8_t *bytes, size_t blocks, float *out);

#endif
