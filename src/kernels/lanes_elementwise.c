/* lanes_elementwise.c - RMSNorm, rotary embedding, silu(gate)*up, residual add, exp.
 *
 * Elementwise work has no order to lose; RMSNorm's sum of squares is 16 float64 partial
 * sums (element i goes to sum i mod 16) joined by halving, whatever the vector width.
 * RMSNorm: Zhang & Sennrich 2019. Rotary embedding: Su et al. 2021, halves form.
 */
#include "lanes_exp.h"
#include "lanes_table.h"

#include <math.h>

#define PARTS 16 /* partial sums of RMSNorm: part of the definition */

static double sum_of_squares(size_t count, const float *x)
{
    double part[PARTS] = {0};
    lanes_d sum[PARTS / LANES_DOUBLES] = {{0}};
    size_t whole = count / PARTS * PARTS;
    for (size_t i = 0; i < whole; i += PARTS)
        for (int v = 0; v < PARTS / LANES_DOUBLES; v++) {
            lanes_h narrow;
            memcpy(&narrow, x + i + (size_t)v * LANES_DOUBLES, sizeof narrow);
            lanes_d value = lanes_widen(narrow);
            sum[v] = lanes_fma_doubles(value, value, sum[v]); /* the product is exact: fused or not is the same */
        }
    memcpy(part, sum, sizeof part);
    for (size_t i = whole; i < count; i++)
        part[i - whole] += (double)x[i] * (double)x[i];
    for (int half = PARTS / 2; half > 0; half /= 2)
        for (int i = 0; i < half; i++)
            part[i] += part[i + half];
    return part[0];
}

void LANES(lanes_rms_norm)(size_t rows, size_t hidden, const float *x, size_t x_stride, const float *weight,
                           double epsilon, float *y, size_t y_stride)
{
    for (size_t r = 0; r < rows; r++) {
        const float *in = x + r * x_stride;
        float *out = y + r * y_stride;
        float scale = (float)(1.0 / sqrt(sum_of_squares(hidden, in) / (double)hidden + epsilon));
        size_t i = 0;
        for (; i + LANES_WIDTH <= hidden; i += LANES_WIDTH)
            lanes_store(out + i, lanes_load(in + i) * scale * lanes_load(weight + i));
        for (; i < hidden; i++)
            out[i] = in[i] * scale * weight[i];
    }
}

void LANES(lanes_rotate)(size_t heads, size_t head_dim, size_t rotary, const float *cosine, const float *sine, float *v)
{
    size_t half = rotary / 2;
    for (size_t h = 0; h < heads; h++) {
        float *a = v + h * head_dim, *b = a + half;
        size_t i = 0;
        for (; i + LANES_WIDTH <= half; i += LANES_WIDTH) {
            lanes_f x = lanes_load(a + i), y = lanes_load(b + i);
            lanes_f c = lanes_load(cosine + i), s = lanes_load(sine + i);
            lanes_store(a + i, lanes_fma(x, c, -(y * s)));
            lanes_store(b + i, lanes_fma(y, c, x * s));
        }
        for (; i < half; i++) {
            float x = a[i], y = b[i];
            a[i] = fmaf(x, cosine[i], -(y * sine[i]));
            b[i] = fmaf(y, cosine[i], x * sine[i]);
        }
    }
}

/* The tail of an elementwise loop goes through the same vector code, padded with zeros. */
static lanes_f load_some(const float *p, size_t count)
{
    lanes_f v = {0};
    memcpy(&v, p, count * sizeof *p);
    return v;
}

#define TOGETHER_FLOATS (LANES_TOGETHER * LANES_WIDTH)

static inline __attribute__((always_inline)) void silu_some(int count, const float *gate, const float *up, float *ffn)
{
    lanes_f value[LANES_TOGETHER];
    for (int v = 0; v < count; v++)
        value[v] = lanes_load(gate + v * LANES_WIDTH);
    lanes_silu(count, value);
    for (int v = 0; v < count; v++)
        lanes_store(ffn + v * LANES_WIDTH, value[v] * lanes_load(up + v * LANES_WIDTH));
}

void LANES(lanes_silu_multiply)(size_t count, const float *gate, const float *up, float *ffn)
{
    size_t i = 0;
    for (; i + TOGETHER_FLOATS <= count; i += TOGETHER_FLOATS)
        silu_some(LANES_TOGETHER, gate + i, up + i, ffn + i);
    for (; i + LANES_WIDTH <= count; i += LANES_WIDTH)
        silu_some(1, gate + i, up + i, ffn + i);
    if (i < count) {
        lanes_f value = load_some(gate + i, count - i);
        lanes_silu(1, &value);
        value *= load_some(up + i, count - i);
        memcpy(ffn + i, &value, (count - i) * sizeof *ffn);
    }
}

void LANES(lanes_exponential)(size_t count, const float *x, float *out)
{
    for (size_t i = 0; i < count; i += LANES_WIDTH) {
        size_t some = count - i < LANES_WIDTH ? count - i : LANES_WIDTH;
        lanes_f value = load_some(x + i, some);
        lanes_exp(1, &value);
        memcpy(out + i, &value, some * sizeof *out);
    }
}

void LANES(lanes_add)(size_t count, const float *y, float *x)
{
    for (size_t i = 0; i < count; i++)
        x[i] += y[i];
}
