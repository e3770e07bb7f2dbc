/* encode_blocks32.h - encoders of Q4_0, Q4_1, Q5_0, Q5_1, Q8_0; layouts in blocks32.h.
 *
 * Each is an encode_function (encode.h).
 */
#ifndef PHI3SAT_QUANTS_ENCODE_BLOCKS32_H
#define PHI3SAT_QUANTS_ENCODE_BLOCKS32_H

#include <stdint.h>
#include <stddef.h>

void encode_blocks32_q4_0(const float *weights, size_t blocks, uint8_t *bytes);
void encode_blocks32_q4_1(const float *weights, size_t blocks, uint8_t *bytes);
void encode_blocks32_q5_0(const float *weights, size_t blocks, uint8_t *bytes);
void encode_blocks32_q5_1(const float *weights, size_t blocks, uint8_t *bytes);
void encode_blocks32_q8_0(const float *weights, size_t blocks, uint8_t *bytes);

#endif
