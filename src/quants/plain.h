/* plain.h - types that store one weight an element: F32, F16, BF16, F64.
 *
 * Decoders as quants_format.decode wants them: blocks = elements.
 */
#ifndef PHI3SAT_QUANTS_PLAIN_H
#define PHI3SAT_QUANTS_PLAIN_H

#include <stdint.h>
#include <stddef.h>

void plain_f32(const uint8_t *bytes, size_t blocks, float *out);
void plain_f16(const uint8_t *bytes, size_t blocks, float *out);
void plain_bf16(const uint8_t *bytes, size_t blocks, float *out);

/* To the nearest float32, ties to even; too large is infinite, NaN stays NaN. The only type that loses anything. */
/* One byte: sign, 4 bits of exponent (bias 7), 3 of fraction, no infinity, 0x7f NaN (E4M3FN); and the upper half of a
 * half (E5M2). Micikevicius et al. 2022. */
void plain_f8_e4m3(const uint8_t *bytes, size_t blocks, float *out);
void plain_f8_e5m2(const uint8_t *bytes, size_t blocks, float *out);
void plain_f64(const uint8_t *bytes, size_t blocks, float *out);

#endif
