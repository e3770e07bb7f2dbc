/* lanes_int8.c - register-blocked products of activations in 8 bits with integer weights.
 *
 * For each output and unit of 256 inputs, in this order. Integer sums are exact; number() rounds one to float32:
 *
 *     superblocks with minima      t = number(sum over s of minimum[s] * sum of activations of s) * -dmin
 *                                  t = fma(number(sum over s of scale[s] * sum of q x of s), d, t)
 *     superblocks with an offset   t = number(sum over s of scale[s] * sum of (q - offset) x of s) * d
 *     blocks of 32                 t = 0;  t = fma(minimum[b], number(sum of activations of b), t)     b ascending
 *                                  t = fma(number(sum of q x of a group), d[b], t)                     groups ascending
 *     all                          y = fma(t, activation scale, y)
 */
#include "lanes_decode.h"
#include "lanes_integer.h"

#define MOST_VECTORS (LANES_TILE_PANELS * INTEGER_VECTORS)

struct unit8 {
    const uint32_t *x;               /* [INT8_ROW][rows]                                   */
    const uint8_t *panel;            /* of the first panel                                 */
    size_t panel_stride;
};

#define PANEL_ROW(n, v)                                                                                                \
    (u->panel + (size_t)((v) / INTEGER_VECTORS) * u->panel_stride +                                                    \
     ((size_t)(n)*KERNELS_PANEL + (size_t)((v) % INTEGER_VECTORS) * LANES_WIDTH) * sizeof(float))

#define EACH_ROW _Pragma("GCC unroll 16") for (int r = 0; r < rows; r++)
#define EACH_VECTOR _Pragma("GCC unroll 4") for (int v = 0; v < vectors; v++)

INTEGER_INLINE float activation_float(const uint32_t *x)
{
    float v;
    memcpy(&v, x, sizeof v);
    return v;
}

INTEGER_INLINE void step(int rows, int vectors, const struct unit8 *u, int k, const uint32_t *x,
                         lanes_i part[LANES_TILE_ROWS][MOST_VECTORS])
{
    lanes_i weight[MOST_VECTORS];
    EACH_VECTOR weight[v] = integer_load(PANEL_ROW(k, v));
    EACH_ROW
    {
        lanes_i value = integer_all((int32_t)x[r]);
        EACH_VECTOR part[r][v] = integer_part_add(part[r][v], weight[v], value);
    }
}

/* Steps [first, first + count) of a group. `part` stays in registers. */
INTEGER_INLINE void group(int rows, int vectors, const struct unit8 *u, int first, int count,
                          lanes_i part[LANES_TILE_ROWS][MOST_VECTORS])
{
    const uint32_t *x = u->x + (size_t)first * (size_t)rows;
    EACH_ROW EACH_VECTOR part[r][v] = (lanes_i){0};
    for (int k = first; k < first + count; k += 2, x += 2 * rows) { /* a group's steps are even in number */
        step(rows, vectors, u, k, x, part);
        step(rows, vectors, u, k + 1, x + rows, part);
    }
}

/* `sum` += pairs of 16 bits: minima, or offsets, with sums of activations. */
INTEGER_INLINE void pairs(int rows, int vectors, const struct integer_form *form, const struct unit8 *u,
                          lanes_i sum[LANES_TILE_ROWS][MOST_VECTORS])
{
    const uint32_t *x = u->x + (size_t)(form->subs == 8 ? INT8_PAIRS32 : INT8_PAIRS16) * (size_t)rows;
    lanes_i s[LANES_TILE_ROWS][MOST_VECTORS];
    EACH_ROW EACH_VECTOR s[r][v] = (lanes_i){0};
    for (int n = 0; n < form->subs / 2; n++, x += rows) {
        lanes_i pair[MOST_VECTORS];
        EACH_VECTOR pair[v] = integer_load(PANEL_ROW(INT8_STEPS + form->subs + n, v));
        EACH_ROW
        {
            lanes_i value = integer_all((int32_t)x[r]);
            EACH_VECTOR s[r][v] = integer_add_pairs(s[r][v], pair[v], value);
        }
    }
    EACH_ROW EACH_VECTOR sum[r][v] = s[r][v];
}

INTEGER_INLINE void superblock(int rows, int vectors, const struct integer_form *form, const struct unit8 *u,
                               lanes_f t[LANES_TILE_ROWS][MOST_VECTORS])
{
    const int steps = INT8_STEPS / form->subs, last = INT8_STEPS + form->subs + form->subs / 2;
    lanes_i total[LANES_TILE_ROWS][MOST_VECTORS], minima[LANES_TILE_ROWS][MOST_VECTORS];
    lanes_f d[MOST_VECTORS], m[MOST_VECTORS];
    if (form->minima) {
        pairs(rows, vectors, form, u, minima);
        EACH_ROW EACH_VECTOR total[r][v] = (lanes_i){0};
    } else {
        pairs(rows, vectors, form, u, total);
        EACH_ROW EACH_VECTOR minima[r][v] = (lanes_i){0};
    }
    for (int k = 0; k < INT8_STEPS; k += form->group) {
        lanes_i part[LANES_TILE_ROWS][MOST_VECTORS], scale[MOST_VECTORS];
        integer_in_memory(total);
        group(rows, vectors, u, k, form->group, part);
        EACH_VECTOR scale[v] = integer_load(PANEL_ROW(INT8_STEPS + k / steps, v));
        EACH_ROW EACH_VECTOR total[r][v] = integer_part_total(total[r][v], part[r][v], scale[v]);
    }
    integer_in_memory(total);
    EACH_VECTOR d[v] = (lanes_f)integer_load(PANEL_ROW(last, v));
    EACH_VECTOR m[v] = (lanes_f)integer_load(PANEL_ROW(last + 1, v));
    if (form->minima)
        EACH_ROW EACH_VECTOR t[r][v] = lanes_fma(integer_floats(total[r][v]), d[v], integer_floats(minima[r][v]) * m[v]);
    else
        EACH_ROW EACH_VECTOR t[r][v] = integer_floats(total[r][v]) * d[v];
}

INTEGER_INLINE void blocks32(int rows, int vectors, const struct integer_form *form, const struct unit8 *u,
                             int inputs, lanes_f t[LANES_TILE_ROWS][MOST_VECTORS])
{
    const uint32_t *sums = u->x + (size_t)INT8_SUMS32 * (size_t)rows;
    EACH_ROW EACH_VECTOR t[r][v] = (lanes_f){0};
    for (int b = 0; 32 * b < inputs; b++)
        EACH_ROW
        {
            lanes_f sum = lanes_all(activation_float(sums + b * rows + r));
            EACH_VECTOR t[r][v] = lanes_fma((lanes_f)integer_load(PANEL_ROW(INT8_STEPS + 8 + b, v)), sum, t[r][v]);
        }
    for (int k = 0; 4 * k < inputs; k += form->group) {
        lanes_i part[LANES_TILE_ROWS][MOST_VECTORS];
        lanes_f d[MOST_VECTORS];
        integer_in_memory(t);
        group(rows, vectors, u, k, form->group, part);
        EACH_VECTOR d[v] = (lanes_f)integer_load(PANEL_ROW(INT8_STEPS + k / 8, v));
        EACH_ROW EACH_VECTOR
        {
            lanes_i sum = integer_part_total((lanes_i){0}, part[r][v], integer_part_scale(integer_all(1)));
            t[r][v] = lanes_fma(integer_floats(sum), d[v], t[r][v]);
        }
    }
}

/* `rows`, `panels` and `super` are constants in every call. */
INTEGER_INLINE void tile(int rows, int panels, int super, size_t inputs, const struct integer_form *form, struct unit8 at,
                         float *y, size_t y_stride, int accumulate)
{
    const int vectors = panels * INTEGER_VECTORS;
    for (size_t n = 0; n * INTEGER_UNIT < inputs; n++) {
        lanes_f t[LANES_TILE_ROWS][MOST_VECTORS];
        if (super)
            superblock(rows, vectors, form, &at, t);
        else
            blocks32(rows, vectors, form, &at, integer_inputs(inputs, n), t);
        EACH_ROW
        {
            lanes_f scale = lanes_all(activation_float(at.x + INT8_SCALE * (size_t)rows + r));
            EACH_VECTOR
            {
                float *to = y + (size_t)r * y_stride + v * LANES_WIDTH;
                lanes_store(to, lanes_fma(t[r][v], scale, accumulate || n ? lanes_load(to) : (lanes_f){0}));
            }
        }
        at.x += INT8_ROW * (size_t)rows;
        at.panel += (size_t)INT8_PANEL_ROWS(*form) * KERNELS_PANEL * sizeof(float);
    }
}

#define TILE(n)                                                                                                        \
    case n:                                                                                                            \
        tile(n, panels, super, inputs, form, at, y, y_stride, accumulate);                                              \
        break

INTEGER_INLINE void tile_of(size_t rows, int panels, int super, size_t inputs, const struct integer_form *form,
                            struct unit8 at, float *y, size_t y_stride, int accumulate)
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

INTEGER_INLINE void multiply(int super, const struct integer_form *form, size_t rows, size_t inputs, const void *packed,
                             const void *panels, size_t panel_count, size_t panel_stride, float *y, size_t y_stride,
                             int accumulate)
{
    struct unit8 at = {packed, panels, panel_stride};
    size_t p = 0;
    for (; p + LANES_TILE_PANELS <= panel_count; p += LANES_TILE_PANELS) {
        tile_of(rows, LANES_TILE_PANELS, super, inputs, form, at, y + p * KERNELS_PANEL, y_stride, accumulate);
        at.panel += LANES_TILE_PANELS * panel_stride;
    }
    if (p < panel_count)
        tile_of(rows, 1, super, inputs, form, at, y + p * KERNELS_PANEL, y_stride, accumulate);
}

static void multiply_superblocks(const struct integer_form *form, size_t rows, size_t inputs, const void *packed,
                                 const void *panels, size_t panel_count, size_t panel_stride, float *y, size_t y_stride,
                                 int accumulate)
{
    multiply(1, form, rows, inputs, packed, panels, panel_count, panel_stride, y, y_stride, accumulate);
}

static void multiply_blocks32(const struct integer_form *form, size_t rows, size_t inputs, const void *packed,
                              const void *panels, size_t panel_count, size_t panel_stride, float *y, size_t y_stride,
                              int accumulate)
{
    multiply(0, form, rows, inputs, packed, panels, panel_count, panel_stride, y, y_stride, accumulate);
}

#define MULTIPLY(type, by)                                                                                             \
    LANES_INTEGER_MULTIPLY(int8, type)                                                                                 \
    {                                                                                                                  \
        by(&integer_##type, rows, inputs, packed, panels, panel_count, panel_stride, y, y_stride, accumulate);         \
    }

MULTIPLY(q2_k, multiply_superblocks)
MULTIPLY(q3_k, multiply_superblocks)
MULTIPLY(q4_k, multiply_superblocks)
MULTIPLY(q5_k, multiply_superblocks)
MULTIPLY(q6_k, multiply_superblocks)
MULTIPLY(q4_0, multiply_blocks32)
MULTIPLY(q4_1, multiply_blocks32)
MULTIPLY(q5_0, multiply_blocks32)
MULTIPLY(q5_1, multiply_blocks32)
