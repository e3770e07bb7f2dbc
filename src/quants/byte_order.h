/* byte_order.h - blocks of big-endian files: which of their bytes form numbers, and the decoding of them.
 *
 * Flow: big-endian model file -> *blocks as a little-endian file has them* -> decoders. In a big-endian GGUF every
 * number of more than a byte that a block's picture (blocks32.h and its neighbours) shows has its bytes turned round;
 * arrays of bytes are what they are.
 */
#ifndef PHI3SAT_QUANTS_BYTE_ORDER_H
#define PHI3SAT_QUANTS_BYTE_ORDER_H

#include "quants.h"

/* Copies `blocks` consecutive blocks from one byte order to the other. in and out must not overlap. Types without
 * such numbers, and any that byte_order_known doesn't know, are copied as they are. */
void byte_order_swap(const struct quants_format *format, const uint8_t *in, size_t blocks, uint8_t *out);

/* Whether the numbers of a type's blocks are known; false for those of no GGUF file. */
bool byte_order_known(const struct quants_format *format);

/* quants_decode_range of a row of a big-endian file. */
void byte_order_decode_range(const struct quants_format *format, const uint8_t *row, size_t first, size_t count, float *out);

#endif
