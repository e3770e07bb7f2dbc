/* codebook_blocks.h - block formats of 256 weights that choose points of a codebook: IQ1_S to IQ3_S.
 *
 * A number c of a point stands for 8 weights (IQ3: 4), whose magnitudes codebooks.h lists. In the pictures byte
 * 0 is left, numbers of more than a byte are little-endian, bits are counted from the least significant; i is the
 * weight, 0..255, and b = i / 8 its group of eight. s is a scale of 0..15 (IQ1: 0..7).
 *
 * Seven signs: bits 0..6 are the signs of seven weights, the eighth makes the number of minus signs even.
 */
#ifndef PHI3SAT_QUANTS_CODEBOOK_BLOCKS_H
#define PHI3SAT_QUANTS_CODEBOOK_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

#define CODEBOOK_BLOCKS_ELEMENTS 256

/*  | half d | 8 times: 4 bytes c, 32-bit word |            32 weights each time
 *  word: bits 7k+6..7k the seven signs of group k of the four, bits 31..28 s
 *  w[i] = sign * d * (s + 1/2) / 4 * magnitude                                 */
struct codebook_blocks_iq2_xxs { uint8_t d[2]; struct { uint8_t c[4], word[4]; } part[8]; };

/*  | half d | 32 16-bit words | 8 bytes scales |
 *  word b: bits 8..0 c, bits 15..9 seven signs; s of 16 weights: nibble i / 16 % 2 of byte i / 32
 *  w[i] = sign * d * (s + 1/2) / 4 * magnitude                                 */
struct codebook_blocks_iq2_xs { uint8_t d[2], word[32][2], scales[8]; };

/*  | half d | 32 bytes c | 32 bytes signs | 8 bytes high | 8 bytes scales |
 *  c of group b: byte b, and as bits 9..8 the bits 2t+1..2t of high[b / 4], t = b % 4; signs: one bit a weight
 *  s as in IQ2_XS
 *  w[i] = sign * d * (s + 1/2) / 4 * magnitude                                 */
struct codebook_blocks_iq2_s { uint8_t d[2], c[32], signs[32], high[8], scales[8]; };

/*  | half d | 64 bytes c | 8 32-bit words |                a c for 4 weights, a word for 32
 *  word: bits 7k+6..7k the seven signs of group k of the four, bits 31..28 s
 *  w[i] = sign * d * (s + 1/2) / 2 * magnitude                                 */
struct codebook_blocks_iq3_xxs { uint8_t d[2], c[64], word[8][4]; };

/*  | half d | 64 bytes c | 8 bytes high | 32 bytes signs | 4 bytes scales |
 *  c of weights 4j..4j+3: byte j, and as bit 8 the bit j % 8 of high[j / 8]; signs: one bit a weight
 *  s of 32 weights: nibble i / 32 % 2 of byte i / 64
 *  w[i] = sign * d * (2 s + 1) * magnitude                                     */
struct codebook_blocks_iq3_s { uint8_t d[2], c[64], high[8], signs[32], scales[4]; };

/*  | half d | 32 bytes c | 8 16-bit words |                a word for 32 weights
 *  word: bits 3k+2..3k are bits 10..8 of c of group k of the four, bits 14..12 s, bit 15 the shift's sign
 *  w[i] = d * (2 s + 1) * (point + shift), shift = 1/8 or -1/8                  */
struct codebook_blocks_iq1_s { uint8_t d[2], c[32], word[8][2]; };

/*  | 32 bytes c | 16 bytes high | 4 16-bit words |
 *  group b has nibble b % 2 of high[b / 2]: bits 2..0 are bits 10..8 of c, bit 3 the shift's sign
 *  word k: bits 3t+2..3t the s of 16 weights, i / 16 = 4k + t; bits 15..12 are bits 4k+3..4k of the half d
 *  w[i] = d * (2 s + 1) * (point + shift), shift = 1/8 or -1/8                  */
struct codebook_blocks_iq1_m { uint8_t c[32], high[16], word[4][2]; };

_Static_assert(sizeof(struct codebook_blocks_iq2_xxs) == 66, "2.0625 bits a weight");
_Static_assert(sizeof(struct codebook_blocks_iq2_xs) == 74, "2.3125 bits a weight");
_Static_assert(sizeof(struct codebook_blocks_iq2_s) == 82, "2.5625 bits a weight");
_Static_assert(sizeof(struct codebook_blocks_iq3_xxs) == 98, "3.0625 bits a weight");
_Static_assert(sizeof(struct codebook_blocks_iq3_s) == 110, "3.4375 bits a weight");
_Static_assert(sizeof(struct codebook_blocks_iq1_s) == 50, "1.5625 bits a weight");
_Static_assert(sizeof(struct codebook_blocks_iq1_m) == 56, "1.75 bits a weight");

void codebook_blocks_decode_iq2_xxs(const uint8_t *bytes, size_t blocks, float *out);
void codebook_blocks_decode_iq2_xs(const uint8_t *bytes, size_t blocks, float *out);
void codebook_blocks_decode_iq2_s(const uint8_t *bytes, size_t blocks, float *out);
void codebook_blocks_decode_iq3_xxs(const uint8_t *bytes, size_t blocks, float *out);
void codebook_blocks_decode_iq3_s(const uint8_t *bytes, size_t blocks, float *out);
void codebook_blocks_decode_iq1_s(const uint8_t *bytes, size_t blocks, float *out);
void codebook_blocks_decode_iq1_m(const uint8_t *bytes, size_t blocks, float *out);

#endif
