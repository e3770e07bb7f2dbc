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
void plain_f64(const uint8_t *bytes, size_t blocks, float *out);

#endif
