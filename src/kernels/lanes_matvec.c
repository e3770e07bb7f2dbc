/* lanes_matvec.c - products of a few rows with a matrix in its vector form (interleave.h), in float32.
 *
 * The bits are the tiled product's: each output is one chain of fused multiply-adds over k = 0, 1, ...
 * with exactly decoded weights, whichever way is taken. A group of 64 outputs is read once, from its first byte to its
 * last; 32 inputs of it at a time meet all rows, while bytes further on are asked for.
 *
 * Rejected: one row at a time along k, as files store it (a sum across lanes has another order, hence other bits);
 * decoding to a panel for one row too (a store and two loads more for each vector of weights); several rows' sums
 * at once while decoding (too many registers: the compiler spills sums, whose chains then wait for memory).
 */
#include "lanes_decode.h"
#include "lanes_matvec_parts.h"
#include "lanes_table.h"

/* How far ahead bytes are asked for: they arrive in time, and still find room in the L1 cache. */
#define AHEAD 6144

/* Sums of all rows of a group. */
typedef float matvec_tile[KERNELS_VECTOR_ROWS][INTERLEAVE_ROWS];

/* Rows x vectors whose sums the registers hold. */
#if LANES_WIDTH == 16
#define TILE_ROWS 6
#define TILE_VECTORS(rows) 4
#elif LANES_WIDTH == 8
#define TILE_ROWS 6
#define TILE_VECTORS(rows) ((rows) <= 3 ? 4 : 2)
#else
#define TILE_ROWS 4
#define TILE_VECTORS(rows) 4
#endif

/* tile[r][..] += x[r] times a panel of `inputs` inputs. `rows` is a constant in every call. */
MATVEC_INLINE void add_tile(int rows, size_t inputs, const float *x, size_t x_stride, const float *panel,
                            float (*tile)[INTERLEAVE_ROWS])
{
    const int vectors = TILE_VECTORS(rows);
    for (int at = 0; at < INTERLEAVE_ROWS; at += vectors * LANES_WIDTH) {
        lanes_f sum[TILE_ROWS][TILE_VECTORS(1)];
        for (int r = 0; r < rows; r++)
            for (int v = 0; v < vectors; v++)
                sum[r][v] = lanes_load(tile[r] + at + v * LANES_WIDTH);
        for (size_t k = 0; k < inputs; k++) {
            const float *from = panel + k * INTERLEAVE_ROWS + at;
            lanes_f w[TILE_VECTORS(1)];
#pragma GCC unroll 4
            for (int v = 0; v < vectors; v++)
                w[v] = lanes_load(from + v * LANES_WIDTH);
#pragma GCC unroll 8
            for (int r = 0; r < rows; r++) {
                lanes_f value = lanes_all(x[(size_t)r * x_stride + k]);
#pragma GCC unroll 4
                for (int v = 0; v < vectors; v++)
                    sum[r][v] = lanes_fma(value, w[v], sum[r][v]);
            }
        }
        for (int r = 0; r < rows; r++)
            for (int v = 0; v < vectors; v++)
                lanes_store(tile[r] + at + v * LANES_WIDTH, sum[r][v]);
    }
}

static void add_rows(size_t rows, size_t inputs, const float *x, size_t x_stride, const float *panel,
                     float (*tile)[INTERLEAVE_ROWS])
{
    size_t passes = (rows + TILE_ROWS - 1) / TILE_ROWS;
    for (; passes; passes--) {
        size_t some = rows / passes; /* nearly the same number in each pass */
        switch (some) {
        case 1: add_tile(1, inputs, x, x_stride, panel, tile); break;
        case 2: add_tile(2, inputs, x, x_stride, panel, tile); break;
        case 3: add_tile(3, inputs, x, x_stride, panel, tile); break;
        case 4: add_tile(4, inputs, x, x_stride, panel, tile); break;
#if TILE_ROWS == 6
        case 5: add_tile(5, inputs, x, x_stride, panel, tile); break;
        case 6: add_tile(6, inputs, x, x_stride, panel, tile); break;
#endif
        default: break;
        }
        rows -= some;
        x += some * x_stride;
        tile += some;
    }
}

typedef void matvec_decode(int alone, const struct matvec_part *p, int part);

/* A group times all rows. `decode` and the sizes are constants in every call: a part is a part of a block, or
 * several blocks of a plain type. */
MATVEC_INLINE void group_rows(matvec_decode *decode, size_t block_weights, size_t header_bytes, size_t block_bytes,
                              size_t rows, size_t inputs, const float *x, size_t x_stride, const uint8_t *group,
                              matvec_tile tile)
{
    float panel[MATVEC_PART * INTERLEAVE_ROWS] __attribute__((aligned(64)));
    lanes_f scale[8][MATVEC_VECTORS], offset[8][MATVEC_VECTORS];
    struct matvec_part p = {.sums = tile[0], .panel = panel, .scale = scale, .offset = offset};
    memset(tile, 0, rows * sizeof *tile);
    for (size_t k = 0; k < inputs; k += MATVEC_PART) {
        size_t count = inputs - k < MATVEC_PART ? inputs - k : MATVEC_PART, block = k / block_weights;
        int part = (int)(block_weights == 1 ? count : k % block_weights / MATVEC_PART);
        p.block = group + block * block_bytes;
        p.words = p.block + header_bytes;
        p.ahead = (const char *)group + k * block_bytes / block_weights + AHEAD;
        p.x = x + k;
        if (rows == 1) {
            decode(1, &p, part);
        } else {
            decode(0, &p, part);
            add_rows(rows, count, x + k, x_stride, panel, tile);
        }
    }
}

#define GROUP(name, weights, halves, words)                                                                            \
    static void group_##name(size_t rows, size_t inputs, const float *x, size_t x_stride, const uint8_t *group,        \
                             matvec_tile tile)                                                                         \
    {                                                                                                                  \
        group_rows(part_##name, weights, (size_t)2 * INTERLEAVE_ROWS * (halves),                                       \
                   (size_t)INTERLEAVE_ROWS * (2 * (halves) + 4 * (words)), rows, inputs, x, x_stride, group, tile);    \
    }

GROUP(f32, 1, 0, 1)
GROUP(f16, 1, 1, 0)
GROUP(bf16, 1, 1, 0)
GROUP(q5_0, 32, 1, 5)
GROUP(q8_0, 32, 1, 8)
GROUP(q4_k, 256, 2, 35)
GROUP(q6_k, 256, 1, 52)

/* What differs between types. */
struct matvec_type {
    void (*group)(size_t rows, size_t inputs, const float *x, size_t x_stride, const uint8_t *group, matvec_tile tile);
    void (*decode)(const uint8_t *const row[KERNELS_PANEL], size_t bytes, size_t blocks, void *panel); /* or NULL: always exact */
};

/* Sums of 16 outputs anew, from decoded weights: see `suspicious`. */
static void add_carefully(const struct matvec_type *type, const struct interleave_form *form, const uint8_t *group,
                          size_t output, size_t inputs, const float *x, float sums[KERNELS_PANEL])
{
    enum { BLOCKS = 256 };
    uint8_t bytes[KERNELS_PANEL][BLOCKS];
    float panel[256 * KERNELS_PANEL] __attribute__((aligned(64)));
    const uint8_t *row[KERNELS_PANEL];
    lanes_f sum[KERNELS_PANEL / LANES_WIDTH];
    for (int j = 0; j < KERNELS_PANEL; j++)
        row[j] = bytes[j];
    memset(sum, 0, sizeof sum);
    for (size_t b = 0; b < inputs / form->weights; b++) {
        for (size_t j = 0; j < KERNELS_PANEL; j++)
            interleave_row(form, group, output + j, b, 1, bytes[j]);
        type->decode(row, 0, 1, panel);
        for (size_t k = 0; k < form->weights; k++)
            for (int v = 0; v < KERNELS_PANEL / LANES_WIDTH; v++)
                sum[v] = lanes_fma(lanes_all(x[b * form->weights + k]),
                                   lanes_load(panel + k * KERNELS_PANEL + v * LANES_WIDTH), sum[v]);
    }
    memcpy(sums, sum, sizeof sum);
}

/* Where a type's formula gives the bits of src/quants but for the sign of a zero weight and for what comes from an
 * infinite or NaN scale: a wrong sign of zero can only show in a sum that is zero to the end, and
 * such a scale makes every sum it meets NaN. */
static int suspicious(const float *sums)
{
    for (int j = 0; j < KERNELS_PANEL; j++)
        if (!(sums[j] < 0.0f || sums[j] > 0.0f))
            return 1;
    return 0;
}

static void one_group(const struct matvec_type *type, const struct interleave_form *form, size_t rows, size_t inputs,
                      const float *x, size_t x_stride, const uint8_t *group, matvec_tile tile)
{
    type->group(rows, inputs, x, x_stride, group, tile);
    if (!type->decode)
        return;
    for (size_t r = 0; r < rows; r++)
        for (size_t j = 0; j < INTERLEAVE_ROWS; j += KERNELS_PANEL)
            if (suspicious(tile[r] + j))
                add_carefully(type, form, group, j, inputs, x + r * x_stride, tile[r] + j);
}

static void groups(const struct matvec_type *type, uint32_t id, size_t rows, size_t inputs, const float *x,
                   size_t x_stride, const uint8_t *weights, size_t outputs, float *y, size_t y_stride)
{
    const struct interleave_form *form = interleave_form(id);
    matvec_tile tile __attribute__((aligned(64)));
    for (size_t o = 0; o < outputs; o += INTERLEAVE_ROWS) {
        size_t count = outputs - o < INTERLEAVE_ROWS ? outputs - o : INTERLEAVE_ROWS;
        for (size_t r = 0; r < rows; r += KERNELS_VECTOR_ROWS) {
            size_t some = rows - r < KERNELS_VECTOR_ROWS ? rows - r : KERNELS_VECTOR_ROWS;
            one_group(type, form, some, inputs, x + r * x_stride, x_stride, weights, tile);
            for (size_t i = 0; i < some; i++)
                memcpy(y + (r + i) * y_stride + o, tile[i], count * sizeof *y);
        }
        weights += interleave_bytes(form, inputs / form->weights);
    }
}

#define WAY(name, id, careful)                                                                                         \
    static void multiply_##name(size_t rows, size_t inputs, const float *x, size_t x_stride, const void *weights,      \
                                size_t outputs, float *y, size_t y_stride)                                             \
    {                                                                                                                  \
        static const struct matvec_type type = {group_##name, careful};                                                \
        groups(&type, id, rows, inputs, x, x_stride, weights, outputs, y, y_stride);                                   \
    }

WAY(f32, QUANTS_F32, NULL)
WAY(f16, QUANTS_F16, NULL)
WAY(bf16, QUANTS_BF16, NULL)
WAY(q8_0, QUANTS_Q8_0, NULL)
WAY(q5_0, QUANTS_Q5_0, LANES(lanes_decode_q5_0))
WAY(q4_k, QUANTS_Q4_K, NULL)
WAY(q6_k, QUANTS_Q6_K, LANES(lanes_decode_q6_k))

static const struct kernels_vector_way ways[] = {
    {KERNELS_F32, QUANTS_F32, multiply_f32},   {KERNELS_F32, QUANTS_F16, multiply_f16},
    {KERNELS_F32, QUANTS_BF16, multiply_bf16}, {KERNELS_F32, QUANTS_Q5_0, multiply_q5_0},
    {KERNELS_F32, QUANTS_Q8_0, multiply_q8_0}, {KERNELS_F32, QUANTS_Q4_K, multiply_q4_k},
    {KERNELS_F32, QUANTS_Q6_K, multiply_q6_k}, {KERNELS_INT8, QUANTS_Q4_K, LANES(lanes_matvec_int8_q4_k)},
};

/* Plain types multiply in float32 in every mode. */
const struct kernels_vector_way *LANES(lanes_vector_way)(enum kernels_mode mode, uint32_t type)
{
    const enum kernels_mode runs = LANES(lanes_way)(mode, type) ? LANES(lanes_way)(mode, type)->mode : mode;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (ways[i].mode == runs && ways[i].type == type)
            return &ways[i];
    return NULL;
}
