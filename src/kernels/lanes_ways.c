/* lanes_ways.c - which functions of this instruction set multiply by which weight type. */
#include "lanes_decode.h"
#include "lanes_table.h"

#define F32_WAY(type)                                                                                                  \
    {                                                                                                                  \
        .mode = KERNELS_F32, .packing = KERNELS_PACKED_F32, .tile_rows = LANES_TILE_ROWS,                              \
        .panels = LANES_TILE_PANELS, .depth = KERNELS_F32_DEPTH, .unit = 1, .row_bytes = sizeof(float),                \
        .panel_bytes = KERNELS_PANEL * sizeof(float), .pack = LANES(lanes_pack_f32),                                   \
        .decode = LANES(lanes_decode_##type), .multiply = LANES(lanes_multiply_f32)                                    \
    }

static const struct {
    uint32_t type;
    struct kernels_way way;
} f32_ways[] = {
    {QUANTS_F32, F32_WAY(f32)},   {QUANTS_F16, F32_WAY(f16)},   {QUANTS_BF16, F32_WAY(bf16)},
    {QUANTS_Q4_0, F32_WAY(q4_0)}, {QUANTS_Q4_1, F32_WAY(q4_1)}, {QUANTS_Q5_0, F32_WAY(q5_0)},
    {QUANTS_Q5_1, F32_WAY(q5_1)}, {QUANTS_Q8_0, F32_WAY(q8_0)}, {QUANTS_Q2_K, F32_WAY(q2_k)},
    {QUANTS_Q3_K, F32_WAY(q3_k)}, {QUANTS_Q4_K, F32_WAY(q4_k)}, {QUANTS_Q5_K, F32_WAY(q5_k)},
    {QUANTS_Q6_K, F32_WAY(q6_k)},
};

const struct kernels_way *LANES(lanes_way)(enum kernels_mode mode, uint32_t type)
{
    (void)mode;
    for (size_t i = 0; i < sizeof f32_ways / sizeof *f32_ways; i++)
        if (f32_ways[i].type == type)
            return &f32_ways[i].way;
    return NULL;
}
