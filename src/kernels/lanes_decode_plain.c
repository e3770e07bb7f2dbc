/* lanes_decode_plain.c - F32, F16 and BF16 rows to panels; see lanes_decode.h. */
#include "lanes_columns.h"
#include "lanes_decode.h"

/* The last weights of a row, which don't fill a vector of columns. */
static void last_floats(const uint8_t *const row[KERNELS_PANEL], size_t bytes, size_t count, float *panel)
{
    for (size_t k = 0; k < count; k++)
        for (int r = 0; r < KERNELS_PANEL; r++)
            memcpy(&panel[k * KERNELS_PANEL + (size_t)r], row[r] + bytes + 4 * k, 4);
}

LANES_DECODER(f32)
{
    float *out = panel;
    size_t k = 0;
    for (; k + 4 <= blocks; k += 4)
        for (int r = 0; r < KERNELS_PANEL; r += LANES_WIDTH) {
            lanes_u column[4];
            lanes_columns(row + r, bytes + 4 * k, column);
            for (size_t c = 0; c < 4; c++)
                lanes_store(out + (k + c) * KERNELS_PANEL + r, (lanes_f)column[c]);
        }
    last_floats(row, bytes + 4 * k, blocks - k, out + k * KERNELS_PANEL);
}

/* `widen` is a constant in both calls. */
static inline __attribute__((always_inline)) void halves(const uint8_t *const row[KERNELS_PANEL], size_t bytes,
                                                         size_t blocks, float *panel, lanes_f (*widen)(lanes_u bits))
{
    size_t k = 0;
    for (; k + 8 <= blocks; k += 8)
        for (int r = 0; r < KERNELS_PANEL; r += LANES_WIDTH) {
            lanes_u column[4];
            lanes_columns(row + r, bytes + 2 * k, column);
#pragma GCC unroll 4
            for (size_t c = 0; c < 4; c++) {
                float *to = panel + (k + 2 * c) * KERNELS_PANEL + r;
                lanes_store(to, widen(column[c] & 0xffff));
                lanes_store(to + KERNELS_PANEL, widen(column[c] >> 16));
            }
        }
    for (; k < blocks; k++)
        for (int r = 0; r < KERNELS_PANEL; r += LANES_WIDTH)
            lanes_store(panel + k * KERNELS_PANEL + r, widen(lanes_pairs(row + r, bytes + 2 * k)));
}

LANES_DECODER(f16)
{
    halves(row, bytes, blocks, panel, lanes_half);
}

LANES_DECODER(bf16)
{
    halves(row, bytes, blocks, panel, lanes_bfloat);
}
