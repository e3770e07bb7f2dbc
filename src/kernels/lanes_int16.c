/* lanes_int16.c - register-blocked products of activations in 16 bits with integer weights.
 *
 * For each output and unit of 256 inputs, in this order, in float32 except where said:
 *
 *     t = 0;  t = fma(minimum[s], sum of activations of sub-block s, t)              s ascending, where there are minima
 *     t = fma(number(integer sum of a chunk's products), d, t)                        chunks ascending; integer_form
 *     y = fma(t, activation scale, y)
 *
 * A chunk's sum is exact: 32 bits hold it (lanes_integer.h). number() rounds it once.
 */
#include "lanes_decode.h"
#include "lanes_integer.h"

#define MOST_VECTORS (LANES_TILE_PANELS * INTEGER_VECTORS)

/* One tile's unit: what the steps of its loops look at. */
struct unit16 {
    const uint32_t *x;               /* [INT16_ROW][rows]                                  */
    const uint8_t *panel;            /* of the first panel                                 */
    size_t panel_stride;
};

#define PANEL_ROW(n, v)                                                                                                \
    (u->panel + (size_t)((v) / INTEGER_VECTORS) * u->panel_stride +                                                    \
     ((size_t)(n)*KERNELS_PANEL + (size_t)((v) % INTEGER_VECTORS) * LANES_WIDTH) * sizeof(float))

INTEGER_INLINE float activation_float(const uint32_t *x)
{
    float v;
    memcpy(&v, x, sizeof v);
    return v;
}

/* Products with the minima: the totals begin with them. */
INTEGER_INLINE void minima(int rows, int vectors, const struct integer_form *form, const struct unit16 *u,
                           lanes_f total[LANES_TILE_ROWS][MOST_VECTORS])
{
    const uint32_t *sums = u->x + (size_t)(form->subs == 8 ? INT16_SUMS32 : INT16_SUMS16) * (size_t)rows;
    lanes_f t[LANES_TILE_ROWS][MOST_VECTORS];
#pragma GCC unroll 16
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++)
            t[r][v] = (lanes_f){0};
    for (int s = 0; form->minima && s < form->subs; s++, sums += rows) {
        lanes_f minimum[MOST_VECTORS];
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++)
            minimum[v] = (lanes_f)integer_load(PANEL_ROW(INT16_STEPS + form->blocks + s, v));
#pragma GCC unroll 16
        for (int r = 0; r < rows; r++) {
            lanes_f sum = lanes_all(activation_float(sums + r));
#pragma GCC unroll 4
            for (int v = 0; v < vectors; v++)
                t[r][v] = lanes_fma(minimum[v], sum, t[r][v]);
        }
    }
#pragma GCC unroll 16
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++)
            total[r][v] = t[r][v];
}

INTEGER_INLINE void step(int rows, int vectors, const struct unit16 *u, int k, const uint32_t *x,
                         lanes_i sum[LANES_TILE_ROWS][MOST_VECTORS])
{
    lanes_i weight[MOST_VECTORS];
#pragma GCC unroll 4
    for (int v = 0; v < vectors; v++)
        weight[v] = integer_load(PANEL_ROW(k, v));
#pragma GCC unroll 16
    for (int r = 0; r < rows; r++) {
        lanes_i value = integer_all((int32_t)x[r]);
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++)
            sum[r][v] = integer_add_pairs(sum[r][v], weight[v], value);
    }
}

/* Steps [first, end): one chunk, whose d stands in row `scale`. `sum` stays in registers, for which nothing else may be
 * alive in the loop. */
INTEGER_INLINE void chunk(int rows, int vectors, const struct unit16 *u, int first, int end, int scale,
                          lanes_f total[LANES_TILE_ROWS][MOST_VECTORS])
{
    lanes_i sum[LANES_TILE_ROWS][MOST_VECTORS];
    lanes_f d[MOST_VECTORS];
#pragma GCC unroll 16
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++)
            sum[r][v] = (lanes_i){0};
    const uint32_t *x = u->x + (size_t)first * (size_t)rows;
    for (int k = first; k < end; k += 2, x += 2 * rows) { /* a chunk's steps are even in number */
        step(rows, vectors, u, k, x, sum);
        step(rows, vectors, u, k + 1, x + rows, sum);
    }
#pragma GCC unroll 4
    for (int v = 0; v < vectors; v++)
        d[v] = (lanes_f)integer_load(PANEL_ROW(scale, v));
#pragma GCC unroll 16
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++)
            total[r][v] = lanes_fma(integer_floats(sum[r][v]), d[v], total[r][v]);
}

/* `rows` and `panels` are constants in every call. */
INTEGER_INLINE void tile(int rows, int panels, size_t inputs, const struct integer_form *form, struct unit16 at, float *y,
                         size_t y_stride, int accumulate)
{
    const struct unit16 *u = &at;
    const int vectors = panels * INTEGER_VECTORS;
    for (size_t n = 0; n * INTEGER_UNIT < inputs; n++) {
        const int end = integer_inputs(inputs, n);
        lanes_f total[LANES_TILE_ROWS][MOST_VECTORS];
        minima(rows, vectors, form, u, total);
        for (int k = 0; k < end; k += form->chunk) {
            integer_in_memory(total);
            chunk(rows, vectors, u, k / 2, (k + form->chunk) / 2, INT16_STEPS + (form->blocks == 8 ? k / 32 : 0), total);
        }
        integer_in_memory(total);
#pragma GCC unroll 16
        for (int r = 0; r < rows; r++) {
            lanes_f scale = lanes_all(activation_float(at.x + INT16_SCALE * (size_t)rows + r));
#pragma GCC unroll 4
            for (int v = 0; v < vectors; v++) {
                float *to = y + (size_t)r * y_stride + v * LANES_WIDTH;
                lanes_store(to, lanes_fma(total[r][v], scale, accumulate || n ? lanes_load(to) : (lanes_f){0}));
            }
        }
        at.x += INT16_ROW * (size_t)rows;
        at.panel += (size_t)INT16_PANEL_ROWS(*form) * KERNELS_PANEL * sizeof(float);
    }
}

#define TILE(n)                                                                                                        \
    case n:                                                                                                            \
        tile(n, panels, inputs, form, at, y, y_stride, accumulate);                                                     \
        break

INTEGER_INLINE void tile_of(size_t rows, int panels, size_t inputs, const struct integer_form *form, struct unit16 at,
                            float *y, size_t y_stride, int accumulate)
{
    switch (rows) {
        TILE(1);
        TILE(2);
        TILE(3);
        TILE(4);
        TILE(5);
        TILE(6);
#if LANES_WIDTH == 16
        TILE(7);
        TILE(8);
        TILE(9);
        TILE(10);
        TILE(11);
        TILE(12);
        TILE(13);
        TILE(14);
#endif
    default:
        break;
    }
}

static void multiply(const struct integer_form *form, size_t rows, size_t inputs, const void *packed, const void *panels,
                     size_t panel_count, size_t panel_stride, float *y, size_t y_stride, int accumulate)
{
    struct unit16 at = {packed, panels, panel_stride};
    size_t p = 0;
    for (; p + LANES_TILE_PANELS <= panel_count; p += LANES_TILE_PANELS) {
        tile_of(rows, LANES_TILE_PANELS, inputs, form, at, y + p * KERNELS_PANEL, y_stride, accumulate);
        at.panel += LANES_TILE_PANELS * panel_stride;
    }
    if (p < panel_count)
        tile_of(rows, 1, inputs, form, at, y + p * KERNELS_PANEL, y_stride, accumulate);
}

#define MULTIPLY(type)                                                                                                 \
    LANES_INTEGER_MULTIPLY(int16, type)                                                                                \
    {                                                                                                                  \
        multiply(&integer_##type, rows, inputs, packed, panels, panel_count, panel_stride, y, y_stride, accumulate);   \
    }

MULTIPLY(q2_k)
MULTIPLY(q3_k)
MULTIPLY(q4_k)
MULTIPLY(q5_k)
MULTIPLY(q6_k)
MULTIPLY(q4_0)
MULTIPLY(q4_1)
MULTIPLY(q5_0)
MULTIPLY(q5_1)
MULTIPLY(q8_0)
