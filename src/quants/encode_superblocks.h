/* encode_superblocks.h - encoders of Q2_K, Q3_K, Q4_K, Q5_K, Q6_K; layouts in superblocks.h.
 *
 * Each is an encode_function (encode.h).
 */
#ifndef PHI3SAT_QUANTS_ENCODE_SUPERBLOCKS_H
#define PHI3SAT_QUANTS_ENCODE_SUPERBLOCKS_H

#include <stdint.h>
#include <stddef.h>

void encode_superblocks_q2_k(const float *weights, size_t blocks, uint8_t *bytes);
void encode_superblocks_q3_k(const float *weights, size_t blocks, uint8_t *bytes);
void encode_superblocks_q4_k(const float *weights, size_t blocks, uint8_t *bytes);
void encode_superblocks_q5_k(const float *weights, size_t blocks, uint8_t *bytes);
void encode_superblocks_q6_k(const float *weights, size_t blocks, uint8_t *bytes);

#endif
