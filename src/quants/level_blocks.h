/* level_blocks.h - block formats whose 4-bit numbers choose one of 16 uneven levels: IQ4_NL, IQ4_XS, MXFP4, NVFP4.
 *
 *   IQ4     -127 -104 -83 -65 -49 -35 -22 -10 1 13 25 38 53 69 89 113
 *   FP4     0 1 2 3 4 6 8 12 0 -1 -2 -3 -4 -6 -8 -12      twice an E2M1 number; a negative 0 counts as 0
 *
 * In the pictures byte 0 is left.
 */
#ifndef PHI3SAT_QUANTS_LEVEL_BLOCKS_H
#define PHI3SAT_QUANTS_LEVEL_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

/*  | half d | 16 bytes q |     byte j: low nibble q[j], high nibble q[j + 16]; 32 weights
 *  w[i] = d * level                                                            */
struct level_blocks_iq4_nl { uint8_t d[2], q[16]; };

/*  | half d | 16 bits high | 4 bytes low | 8 times 16 bytes q |    256 weights
 *  q of sub-block s = i / 32 as in IQ4_NL; its scale: nibble s % 2 of low[s / 2], and as bits 5..4 the bits
 *  2s+1..2s of high
 *  w[i] = (d * (scale - 32)) * level                                           */
struct level_blocks_iq4_xs { uint8_t d[2], high[2], low[4], q[8][16]; };

/*  | byte e | 16 bytes q |     q as in IQ4_NL; 32 weights
 *  w[i] = 2^(e - 128) * level, that is 2^(e - 127) times the E2M1 number. All 256 e are powers of two: ggml
 *  knows no NaN here, though the OCP's definition calls e = 255 one.             */
struct level_blocks_mxfp4 { uint8_t e; uint8_t q[16]; };

/*  | 4 bytes d | 4 times 8 bytes q |    64 weights in sub-blocks s of 16
 *  byte j of a sub-block: low nibble q[j], high nibble q[j + 8]
 *  d[s]: . eeee mmm, the highest bit ignored: (1 + m/8) 2^(e - 7), with e = 0: m 2^-9; but 0x7f is 0, as in ggml
 *  w[i] = d / 2 * level                                                        */
struct level_blocks_nvfp4 { uint8_t d[4], q[4][8]; };

_Static_assert(sizeof(struct level_blocks_iq4_nl) == 18, "4.5 bits a weight");
_Static_assert(sizeof(struct level_blocks_iq4_xs) == 136, "4.25 bits a weight");
_Static_assert(sizeof(struct level_blocks_mxfp4) == 17, "4.25 bits a weight");
_Static_assert(sizeof(struct level_blocks_nvfp4) == 36, "4.5 bits a weight");

void level_blocks_decode_iq4_nl(const uint8_t *bytes, size_t blocks, float *out);
void level_blocks_decode_iq4_xs(const uint8_t *bytes, size_t blocks, float *out);
void level_blocks_decode_mxfp4(const uint8_t *bytes, size_t blocks, float *out);
void level_blocks_decode_nvfp4(const uint8_t *bytes, size_t blocks, float *out);

#endif
