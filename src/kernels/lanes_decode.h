/* lanes_decode.h - one decoder a block format: rows of a matrix -> a panel, in float32 or in integers.
 *
 * Each decodes `blocks` consecutive blocks (plain types: single weights) from `bytes` on in each of 16
 * rows to panel [weights][16]. The values are those of src/quants to the bit: tests compare them.
 */
#ifndef PHI3SAT_KERNELS_LANES_DECODE_H
#define PHI3SAT_KERNELS_LANES_DECODE_H

#include "lanes.h"

#define LANES_DECODER(name) \
    void LANES(lanes_decode_##name)(const uint8_t *const row[KERNELS_PANEL], size_t bytes, size_t blocks, void *panel)

LANES_DECODER(f32);
LANES_DECODER(f16);
LANES_DECODER(bf16);
LANES_DECODER(q4_0);
LANES_DECODER(q4_1);
LANES_DECODER(q5_0);
LANES_DECODER(q5_1);
LANES_DECODER(q8_0);
LANES_DECODER(q2_k);
LANES_DECODER(q3_k);
LANES_DECODER(q4_k);
LANES_DECODER(q5_k);
LANES_DECODER(q6_k);

/* The same to panels of integers, and the products with them; see lanes_integer.h. */
#define LANES_INTEGER_DECODER(mode, name)                                                                              \
    void LANES(lanes_decode_##mode##_##name)(const uint8_t *const row[KERNELS_PANEL], size_t bytes, size_t blocks,     \
                                             void *panel)
#define LANES_INTEGER_MULTIPLY(mode, name)                                                                             \
    void LANES(lanes_multiply_##mode##_##name)(size_t rows, size_t inputs, const void *packed, const void *panels,     \
                                               size_t panel_count, size_t panel_stride, float *y, size_t y_stride,     \
                                               int accumulate)
#define LANES_INTEGER_TYPE(mode, name)                                                                                 \
    LANES_INTEGER_DECODER(mode, name);                                                                                 \
    LANES_INTEGER_MULTIPLY(mode, name)
#define LANES_INTEGER_TYPES(name)                                                                                      \
    LANES_INTEGER_TYPE(int16, name);                                                                                   \
    LANES_INTEGER_TYPE(int8, name)

LANES_INTEGER_TYPES(q4_0);
LANES_INTEGER_TYPES(q4_1);
LANES_INTEGER_TYPES(q5_0);
LANES_INTEGER_TYPES(q5_1);
LANES_INTEGER_TYPE(int16, q8_0);
LANES_INTEGER_TYPES(q2_k);
LANES_INTEGER_TYPES(q3_k);
LANES_INTEGER_TYPES(q4_k);
LANES_INTEGER_TYPES(q5_k);
LANES_INTEGER_TYPES(q6_k);

/* A decoder for LANES_WIDTH rows, block by block, becomes one for a panel. Each block is
 * decoded for all 16 rows before the next: its cache lines are still there. */
#define LANES_DECODE_BLOCKS(name, block_bytes, block_weights)                                                          \
    LANES_DECODER(name)                                                                                                \
    {                                                                                                                  \
        float *out = panel;                                                                                            \
        for (size_t b = 0; b < blocks; b++, out += (size_t)(block_weights) * KERNELS_PANEL)                            \
            for (int r = 0; r < KERNELS_PANEL; r += LANES_WIDTH)                                                       \
                name(row + r, bytes + b * (block_bytes), out + r);                                                     \
    }

#endif
