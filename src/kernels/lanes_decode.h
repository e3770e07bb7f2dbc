/* lanes_decode.h - one decoder a block format: rows of a matrix -> a float32 panel.
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
