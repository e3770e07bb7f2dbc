/* decode_rows.c - see decode_rows.h.
 *
 * Weights of 16 rows are decoded some 256 at a time to a buffer that stays in the first-level cache, and turned round
 * from there. The decoders are bound here, each by a small function, since a way's decoder gets no context.
 */
#include "decode_rows.h"

#include <assert.h>

#include "../quants/quants.h"

#define MOST 256 /* weights of a block                                           */

static void turn(const float rows[KERNELS_PANEL][MOST], size_t weights, float *restrict out)
{
    for (size_t i = 0; i < weights; i++, out += KERNELS_PANEL)
        for (size_t r = 0; r < KERNELS_PANEL; r++)
            out[r] = rows[r][i];
}

static void decode(const struct quants_format *format, const uint8_t *const row[KERNELS_PANEL], size_t bytes, size_t blocks,
                   float *out)
{
    float rows[KERNELS_PANEL][MOST];
    const size_t once = MOST / format->block_elements;
    assert(once > 0);
    for (size_t b = 0; b < blocks; b += once) {
        const size_t count = blocks - b < once ? blocks - b : once, weights = count * format->block_elements;
        for (size_t r = 0; r < KERNELS_PANEL; r++)
            format->decode(row[r] + bytes + b * format->block_bytes, count, rows[r]);
        turn((const float (*)[MOST])rows, weights, out);
        out += weights * KERNELS_PANEL;
    }
}

#define DECODE_ROWS_DEFINE(TYPE, type)                                                                                 \
    void decode_rows_##type(const uint8_t *const row[KERNELS_PANEL], size_t bytes, size_t blocks, void *panel)         \
    {                                                                                                                  \
        decode(quants_by_id(QUANTS_##TYPE), row, bytes, blocks, panel);                                                \
    }
DECODE_ROWS_TYPES(DECODE_ROWS_DEFINE)
