/* superblocks.h - block formats of 256 weights: Q2_K, Q3_K, Q4_K, Q5_K, Q6_K, Q8_K.
 *
 * A super-block has one or two halves for all its weights and a small scale (and
 * minimum) for each sub-block of 16 or 32. In the pictures byte 0 is left;
 * "bits 2j+1..2j" are counted from the least significant. i is the weight, 0..255.
 */
#ifndef PHI3SAT_QUANTS_SUPERBLOCKS_H
#define PHI3SAT_QUANTS_SUPERBLOCKS_H

#include <stdint.h>
#include <stddef.h>

#define SUPERBLOCKS_ELEMENTS 256

/* Q2_K: 16 sub-blocks of 16.
 *  | 16 bytes scales | 64 bytes q | half d | half dmin |
 *  scales[s]: low nibble scale, high nibble minimum of sub-block s = i / 16.
 *  With h = i / 128, j = i / 32 % 4, l = i % 32: q[i] = bits 2j+1..2j of byte
 *  q[32 h + l].
 *  w[i] = (d * scale) * q - dmin * minimum                                     */
struct superblocks_q2_k { uint8_t scales[16], q[64], d[2], dmin[2]; };

/* Q3_K: 16 sub-blocks of 16.
 *  | 32 bytes high | 64 bytes q | 12 bytes scales | half d |
 *  low two bits of weight i as in Q2_K; its third bit is bit 4h + j of high[l].
 *  scale of sub-block s, 6 bits:  low four: nibble s / 8 of byte s % 8;
 *                                 high two: bits 2t+1..2t of byte 8 + s % 4, t = s / 4.
 *  w[i] = (d * (scale - 32)) * (q + 4 high - 4)                                */
struct superblocks_q3_k { uint8_t high[32], q[64], scales[12], d[2]; };

/* Q4_K: 8 sub-blocks of 32.
 *  | half d | half dmin | 12 bytes scales | 128 bytes q |
 *  With p = i / 64, l = i % 32: byte q[32 p + l] has weight 64 p + l in its low
 *  nibble and weight 64 p + 32 + l in its high one.
 *  scale and minimum of sub-block s = i / 32, 6 bits each; bytes of `scales`:
 *     0..3   bits 5..0 scale[0..3]     bits 7..6: bits 5..4 of scale[4..7]
 *     4..7   bits 5..0 minimum[0..3]   bits 7..6: bits 5..4 of minimum[4..7]
 *     8..11  low nibble: bits 3..0 of scale[4..7], high nibble: of minimum[4..7]
 *  w[i] = (d * scale) * q - dmin * minimum                                     */
struct superblocks_q4_k { uint8_t d[2], dmin[2], scales[12], q[128]; };

/* Q5_K: 8 sub-blocks of 32.
 *  | half d | half dmin | 12 bytes scales | 32 bytes high | 128 bytes q |
 *  as Q4_K; the fifth bit of weight i is bit s = i / 32 of high[i % 32].
 *  w[i] = (d * scale) * (q + 16 high) - dmin * minimum                         */
struct superblocks_q5_k { uint8_t d[2], dmin[2], scales[12], high[32], q[128]; };

/* Q6_K: 16 sub-blocks of 16.
 *  | 128 bytes low | 64 bytes high | 16 signed bytes scales | half d |
 *  With h = i / 128, j = i / 32 % 4, l = i % 32:
 *     low four bits: nibble j / 2 of byte low[64 h + 32 (j % 2) + l],
 *     high two bits: bits 2j+1..2j of byte high[32 h + l].
 *  w[i] = (d * scale[i / 16]) * (q - 32)                                       */
struct superblocks_q6_k { uint8_t low[128], high[64]; int8_t scales[16]; uint8_t d[2]; };

/* Q8_K: one scale for all.
 *  | float32 d | 256 signed bytes q | 16 16-bit sums |   sums of 16 q each, a help for products that weights don't need
 *  w[i] = d * q[i]                                                             */
struct superblocks_q8_k { uint8_t d[4]; int8_t q[256]; uint8_t sums[16][2]; };

_Static_assert(sizeof(struct superblocks_q2_k) == 84, "2.625 bits a weight");
_Static_assert(sizeof(struct superblocks_q3_k) == 110, "3.4375 bits a weight");
_Static_assert(sizeof(struct superblocks_q4_k) == 144, "4.5 bits a weight");
_Static_assert(sizeof(struct superblocks_q5_k) == 176, "5.5 bits a weight");
_Static_assert(sizeof(struct superblocks_q6_k) == 210, "6.5625 bits a weight");
_Static_assert(sizeof(struct superblocks_q8_k) == 292, "9.125 bits a weight");

void superblocks_decode_q2_k(const uint8_t *bytes, size_t blocks, float *out);
void superblocks_decode_q3_k(const uint8_t *bytes, size_t blocks, float *out);
void superblocks_decode_q4_k(const uint8_t *bytes, size_t blocks, float *out);
void superblocks_decode_q5_k(const uint8_t *bytes, size_t blocks, float *out);
void superblocks_decode_q6_k(const uint8_t *bytes, size_t blocks, float *out);
void superblocks_decode_q8_k(const uint8_t *bytes, size_t blocks, float *out);

/* Unpacks the 12 bytes that Q4_K and Q5_K share into 8 scales and 8 minima,
 * each 0..63. */
void superblocks_unpack_scales(const uint8_t packed[12], uint8_t scales[8], uint8_t minima[8]);

#endif
