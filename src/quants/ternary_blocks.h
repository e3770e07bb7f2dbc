/* ternary_blocks.h - block formats of two, three or four values a weight: Q1_0, Q2_0, TQ1_0, TQ2_0.
 *
 * In the pictures byte 0 is left, bits are counted from the least significant; i is the weight.
 */
#ifndef PHI3SAT_QUANTS_TERNARY_BLOCKS_H
#define PHI3SAT_QUANTS_TERNARY_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

/*  | half d | 16 bytes q |     128 weights; bit i % 8 of q[i / 8]
 *  w[i] = d where the bit is 1, else -d                                        */
struct ternary_blocks_q1_0 { uint8_t d[2], q[16]; };

/*  | half d | 16 bytes q |     64 weights; q[i]: bits 2t+1..2t of byte i / 4, t = i % 4
 *  w[i] = d * (q - 1)                                                          */
struct ternary_blocks_q2_0 { uint8_t d[2], q[16]; };

/*  | 48 bytes q | 4 bytes tail | half d |    256 weights
 *  A byte of q is five ternary digits, of the tail four, as a fraction of 256: digit n is the whole part of
 *  3 x / 256, with x = the byte times 3^n modulo 256.
 *  weight 32 n + j: digit n of q[j], j < 32; weight 160 + 16 n + j: of q[32 + j], j < 16; weight 240 + 4 n + j: of
 *  tail[j]
 *  w[i] = d * (digit - 1)                                                      */
struct ternary_blocks_tq1_0 { uint8_t q[48], tail[4], d[2]; };

/*  | 64 bytes q | half d |    256 weights
 *  With h = i / 128, j = i / 32 % 4, l = i % 32: q[i] = bits 2j+1..2j of byte q[32 h + l]
 *  w[i] = d * (q - 1)                                                          */
struct ternary_blocks_tq2_0 { uint8_t q[64], d[2]; };

_Static_assert(sizeof(struct ternary_blocks_q1_0) == 18, "1.125 bits a weight");
_Static_assert(sizeof(struct ternary_blocks_q2_0) == 18, "2.25 bits a weight");
_Static_assert(sizeof(struct ternary_blocks_tq1_0) == 54, "1.6875 bits a weight");
_Static_assert(sizeof(struct ternary_blocks_tq2_0) == 66, "2.0625 bits a weight");

void ternary_blocks_decode_q1_0(const uint8_t *bytes, size_t blocks, float *out);
void ternary_blocks_decode_q2_0(const uint8_t *bytes, size_t blocks, float *out);
void ternary_blocks_decode_tq1_0(const uint8_t *bytes, size_t blocks, float *out);
void ternary_blocks_decode_tq2_0(const uint8_t *bytes, size_t blocks, float *out);

#endif
