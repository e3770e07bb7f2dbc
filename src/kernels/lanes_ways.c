/* lanes_ways.c - which functions of this instruction set multiply by which weight type. */
#include "decode_rows.h"
#include "lanes_decode.h"
#include "lanes_integer.h"
#include "lanes_table.h"

#define F32_WAY_BY(decoder)                                                                                            \
    {                                                                                                                  \
        .mode = KERNELS_F32, .packing = KERNELS_PACKED_F32, .tile_rows = LANES_TILE_ROWS,                              \
        .panels = LANES_TILE_PANELS, .depth = KERNELS_F32_DEPTH, .unit = 1, .row_bytes = sizeof(float),                \
        .panel_bytes = KERNELS_PANEL * sizeof(float), .pack = LANES(lanes_pack_f32),                                   \
        .decode = decoder, .multiply = LANES(lanes_multiply_f32)                                                       \
    }
#define F32_WAY(type) F32_WAY_BY(LANES(lanes_decode_##type))
#define ROWS_WAY(TYPE, type) {QUANTS_##TYPE, F32_WAY_BY(decode_rows_##type)},

#define INTEGER_WAY(m, MODE, type)                                                                                     \
    {                                                                                                                  \
        .mode = KERNELS_##MODE, .packing = KERNELS_PACKED_##MODE, .tile_rows = LANES_TILE_ROWS,                        \
        .panels = LANES_TILE_PANELS, .depth = KERNELS_##MODE##_DEPTH, .unit = INTEGER_UNIT,                            \
        .row_bytes = MODE##_ROW * sizeof(uint32_t),                                                                    \
        .panel_bytes = MODE##_##type##_ROWS * KERNELS_PANEL * sizeof(uint32_t),                                        \
        .pack = LANES(lanes_pack_##m), .decode = LANES(lanes_decode_##m##_##type),                                     \
        .multiply = LANES(lanes_multiply_##m##_##type)                                                                 \
    }

struct way {
    uint32_t type;
    struct kernels_way way;
};

static const struct way f32_ways[] = {
    {QUANTS_F32, F32_WAY(f32)},   {QUANTS_F16, F32_WAY(f16)},   {QUANTS_BF16, F32_WAY(bf16)},
    {QUANTS_Q4_0, F32_WAY(q4_0)}, {QUANTS_Q4_1, F32_WAY(q4_1)}, {QUANTS_Q5_0, F32_WAY(q5_0)},
    {QUANTS_Q5_1, F32_WAY(q5_1)}, {QUANTS_Q8_0, F32_WAY(q8_0)}, {QUANTS_Q2_K, F32_WAY(q2_k)},
    {QUANTS_Q3_K, F32_WAY(q3_k)}, {QUANTS_Q4_K, F32_WAY(q4_k)}, {QUANTS_Q5_K, F32_WAY(q5_k)},
    {QUANTS_Q6_K, F32_WAY(q6_k)},
    DECODE_ROWS_TYPES(ROWS_WAY)
};

#define INT16_WAY(type) INTEGER_WAY(int16, INT16, type)
#define INT8_WAY(type) INTEGER_WAY(int8, INT8, type)

static const struct way int16_ways[] = {
    {QUANTS_Q4_0, INT16_WAY(q4_0)}, {QUANTS_Q4_1, INT16_WAY(q4_1)}, {QUANTS_Q5_0, INT16_WAY(q5_0)},
    {QUANTS_Q5_1, INT16_WAY(q5_1)}, {QUANTS_Q8_0, INT16_WAY(q8_0)}, {QUANTS_Q2_K, INT16_WAY(q2_k)},
    {QUANTS_Q3_K, INT16_WAY(q3_k)}, {QUANTS_Q4_K, INT16_WAY(q4_k)}, {QUANTS_Q5_K, INT16_WAY(q5_k)},
    {QUANTS_Q6_K, INT16_WAY(q6_k)},
};

static const struct way int8_ways[] = {
    {QUANTS_Q4_0, INT8_WAY(q4_0)}, {QUANTS_Q4_1, INT8_WAY(q4_1)}, {QUANTS_Q5_0, INT8_WAY(q5_0)},
    {QUANTS_Q5_1, INT8_WAY(q5_1)}, {QUANTS_Q2_K, INT8_WAY(q2_k)}, {QUANTS_Q3_K, INT8_WAY(q3_k)},
    {QUANTS_Q4_K, INT8_WAY(q4_k)}, {QUANTS_Q5_K, INT8_WAY(q5_k)}, {QUANTS_Q6_K, INT8_WAY(q6_k)},
};

/* By mode, and how many. */
#define WAYS(of) {of, sizeof of / sizeof *of}
static const struct {
    const struct way *way;
    size_t count;
} ways[KERNELS_MODES] = {[KERNELS_F32] = WAYS(f32_ways), [KERNELS_INT16] = WAYS(int16_ways), [KERNELS_INT8] = WAYS(int8_ways)};

/* Modes are in the order of their exactness. */
const struct kernels_way *LANES(lanes_way)(enum kernels_mode mode, uint32_t type)
{
    for (int m = (int)mode; m >= 0; m--)
        for (size_t i = 0; i < ways[m].count; i++)
            if (ways[m].way[i].type == type)
                return &ways[m].way[i].way;
    return NULL;
}
