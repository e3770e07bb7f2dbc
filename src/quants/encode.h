/* encode.h - float32 rows to block formats: our own encoders for every type that synth writes.
 *
 * Flow: float32 rows -> *encode* -> model file. The counterpart of quants_format.decode: what an encoder
 * writes, the decoder reads back, as near to the weights as a search over scales finds (least
 * squares; encode_fit.h).
 */
#ifndef PHI3SAT_QUANTS_ENCODE_H
#define PHI3SAT_QUANTS_ENCODE_H

#include "quants.h"

/* Encodes weights[blocks * block_elements] into bytes[blocks * block_bytes]. Weights are finite (a
 * NaN gives some number, and harms no other block); scales beyond a half are cut at 65504. Equal
 * blocks give equal bytes; a block of zeros decodes to zeros; so do the zeros of a sub-block that
 * has no negative weight. Thread-safe. */
typedef void encode_function(const float *weights, size_t blocks, uint8_t *bytes);

/* The encoder of a format, NULL where there is none. */
encode_function *encode_find(const struct quants_format *format);

/* What llama.cpp stores a row of `columns` weights as when it is asked for `format`: itself where the row is
 * a whole number of blocks, else the nearest type of 32 (Q4_K Q5_0, Q5_K Q5_1, Q6_K Q8_0, Q2_K and
 * Q3_K Q4_0), else F16. */
const struct quants_format *encode_fallback(const struct quants_format *format, uint64_t columns);

#endif
