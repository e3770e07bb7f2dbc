/* test_kernels.c - every instruction set against plain loops, to the bit; exp and silu against long double. */
#include <float.h>

#include "lane_buffers.h"

static void plain_norm(size_t rows, size_t hidden, const float *x, size_t x_stride, const float *weight,
                       double epsilon, float *y, size_t y_stride)
{
    for (size_t r = 0; r < rows; r++) {
        double part[16] = {0};
        for (size_t i = 0; i < hidden; i++)
            part[i % 16] += (double)x[r * x_stride + i] * (double)x[r * x_stride + i];
        for (int half = 8; half; half /= 2)
            for (int i = 0; i < half; i++)
                part[i] += part[i + half];
        float scale = (float)(1.0 / sqrt(part[0] / (double)hidden + epsilon));
        for (size_t i = 0; i < hidden; i++)
            y[r * y_stride + i] = x[r * x_stride + i] * scale * weight[i];
    }
}

static bool one_norm(const struct kernels *set, bool odd)
{
    size_t rows = random_size(1, 9), hidden = random_size(1, 300), x_stride = hidden + random_size(0, 9);
    size_t y_stride = hidden + random_size(0, 9);
    struct lane_array x = spread(rows, hidden, x_stride, odd), weight = spread(1, hidden, hidden, odd);
    struct lane_array got = lane_array(rows * y_stride, 1), wanted = lane_array(rows * y_stride, 1);
    double epsilon = reference_random() % 2 ? 1e-5 : 0.0;
    plain_norm(rows, hidden, x.data, x_stride, weight.data, epsilon, wanted.data, y_stride);
    set->rms_norm(rows, hidden, x.data, x_stride, weight.data, epsilon, got.data, y_stride);
    bool same = lane_same(&got, &wanted);
    set->rms_norm(rows, hidden, x.data, x_stride, weight.data, epsilon, x.data, x_stride); /* in place */
    for (size_t r = 0; r < rows; r++)
        same = same && same_floats(x.data + r * x_stride, wanted.data + r * y_stride, hidden);
    free(x.block), free(weight.block), free(got.block), free(wanted.block);
    return same;
}

static bool one_rotation(const struct kernels *set)
{
    size_t heads = random_size(1, 5), head_dim = random_size(1, 140), half = random_size(0, head_dim / 2);
    struct lane_array cosine = spread(1, half, half, false), sine = spread(1, half, half, false);
    struct lane_array got = lane_array(heads * head_dim, 2), wanted = lane_array(heads * head_dim, 2);
    random_floats(got.data, heads * head_dim, true);
    lane_copy(&got, &wanted);
    for (size_t h = 0; h < heads; h++)
        for (size_t i = 0; i < half; i++) {
            float *a = wanted.data + h * head_dim + i, *b = a + half, x = *a, y = *b;
            *a = fmaf(x, cosine.data[i], -(y * sine.data[i]));
            *b = fmaf(y, cosine.data[i], x * sine.data[i]);
        }
    set->rotate(heads, head_dim, 2 * half, cosine.data, sine.data, got.data);
    bool same = lane_same(&got, &wanted);
    free(cosine.block), free(sine.block), free(got.block), free(wanted.block);
    return same;
}

/* Value by value through the reference, so that the tails are compared with whole vectors. */
static bool one_elementwise(const struct kernels *set, size_t count)
{
    const struct kernels *reference = kernels_at(0);
    struct lane_array a = spread(1, count, count, true), b = spread(1, count, count, true);
    struct lane_array got = lane_array(count, 3), wanted = lane_array(count, 3);
    bool same = true;
    for (size_t i = 0; i < count; i++) {
        float x[64], out[64];
        for (int j = 0; j < 64; j++)
            x[j] = a.data[i];
        reference->exponential(64, x, out);
        wanted.data[i] = out[i % 64];
    }
    set->exponential(count, a.data, got.data);
    same = same && lane_same(&got, &wanted);
    for (size_t i = 0; i < count; i++) {
        float one = 1.0f, silu;
        reference->silu_multiply(1, a.data + i, &one, &silu);
        wanted.data[i] = silu * b.data[i];
    }
    set->silu_multiply(count, a.data, b.data, got.data);
    same = same && lane_same(&got, &wanted);
    for (size_t i = 0; i < count; i++)
        wanted.data[i] += b.data[i];
    set->add(count, b.data, got.data);
    same = same && lane_same(&got, &wanted);
    free(a.block), free(b.block), free(got.block), free(wanted.block);
    return same;
}

/* Distance in units of the last place that float32 has at `wanted`. */
static double ulps(float got, long double wanted)
{
    if (isnan(wanted) || isnan(got))
        return isnan(wanted) && isnan(got) ? 0.0 : INFINITY;
    const long double top = 0x1p128L; /* where infinity stands */
    long double value = isinf(got) ? copysignl(top, got) : (long double)got;
    wanted = fabsl(wanted) > top ? copysignl(top, wanted) : wanted;
    int exponent = wanted == 0.0L ? -126 : ilogbl(wanted);
    exponent = exponent < -126 ? -126 : exponent > 127 ? 127 : exponent;
    return (double)(fabsl(value - wanted) / ldexpl(1.0L, exponent - 23));
}

#define SWEEP 4096

struct sweep {
    double exp, silu; /* largest errors, ulps */
    bool same;        /* in all sets */
};

static void sweep_some(const float *x, struct sweep *s)
{
    static float exponential[SWEEP], silu[SWEEP], other[SWEEP], ones[SWEEP];
    for (int i = 0; i < SWEEP; i++)
        ones[i] = 1.0f;
    kernels_at(0)->exponential(SWEEP, x, exponential);
    kernels_at(0)->silu_multiply(SWEEP, x, ones, silu);
    for (size_t k = 1; kernels_at(k); k++) {
        kernels_at(k)->exponential(SWEEP, x, other);
        s->same = s->same && same_floats(exponential, other, SWEEP);
        kernels_at(k)->silu_multiply(SWEEP, x, ones, other);
        s->same = s->same && same_floats(silu, other, SWEEP);
    }
    for (int i = 0; i < SWEEP; i++) {
        long double v = x[i];
        s->exp = fmax(s->exp, ulps(exponential[i], expl(v)));
        long double truth = isinf(v) ? (v > 0 ? v : 0.0L) : v / (1.0L + expl(-v));
        s->silu = fmax(s->silu, ulps(silu[i], truth));
    }
}

static void accuracy(void)
{
    static float x[SWEEP];
    struct sweep s = {.same = true};
    size_t filled = 0;
    for (uint64_t bits = 0; bits < (uint64_t)1 << 32; bits += tap_long() ? 97 : 4099) {
        uint32_t pattern = (uint32_t)bits;
        memcpy(&x[filled++], &pattern, sizeof *x);
        if (filled == SWEEP) {
            sweep_some(x, &s);
            filled = 0;
        }
    }
    for (int step = 0; step < (tap_long() ? 400 : 40); step++) { /* where results are neither 0, 1 nor infinite */
        for (int i = 0; i < SWEEP; i++)
            x[i] = (float)(step % 2 ? reference_uniform() * 200.0 - 110.0 : reference_uniform() * 20.0 - 10.0);
        sweep_some(x, &s);
    }
    diag("largest error of exp %.3f ulp, of silu %.3f ulp", s.exp, s.silu);
    ok(s.exp <= 1.0, "exp is within 1 ulp over all float32");
    ok(s.silu <= 3.0, "silu is within 3 ulp over all float32");
    ok(s.same, "exp and silu have the same bits in every set");
}

static void special_values(const struct kernels *set)
{
    const float x[] = {0.0f, -0.0f, INFINITY, -INFINITY, NAN, FLT_MAX, -FLT_MAX, 1e-45f};
    float out[8], ones[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    set->exponential(8, x, out);
    ok(out[0] == 1 && out[1] == 1 && out[2] == INFINITY && out[3] == 0 && isnan(out[4]) && out[5] == INFINITY &&
           out[6] == 0 && out[7] == 1,
       "%s: exp of 0, infinities, NaN and the largest numbers", set->name);
    set->silu_multiply(8, x, ones, out);
    ok(out[0] == 0 && out[1] == 0 && out[2] == INFINITY && out[3] == 0 && isnan(out[4]) && out[5] == FLT_MAX &&
           out[6] == 0,
       "%s: silu of 0, infinities, NaN and the largest numbers", set->name);
}

static void selection(void)
{
    struct error e;
    const struct kernels *set = NULL;
    size_t count = 0;
    is_string(kernels_at(0)->name, "reference", "the reference comes first");
    while (kernels_at(count))
        count++;
    for (size_t i = 0; i < count; i++)
        ok(kernels_select(kernels_at(i)->name, &set, &e) == STATUS_OK && set == kernels_at(i), "%s is chosen by name",
           kernels_at(i)->name);
    ok(kernels_select(NULL, &set, &e) == STATUS_OK && set == kernels_at(count - 1), "without a name the widest is chosen");
    ok(!kernels_at(count) && !kernels_at(count + 7), "the list has an end");
    error_clear(&e);
    is_int(kernels_select("sse9", &set, &e), STATUS_USAGE, "an unknown name is wrong usage");
    ok(strstr(e.sentence, "PHI3SAT_KERNELS") && strstr(e.sentence, "sse9"), "and the sentence names both");
}

int main(void)
{
    selection();
    for (size_t k = 0; kernels_at(k); k++) {
        const struct kernels *set = kernels_at(k);
        bool norm = true, rotate = true, elementwise = true;
        for (int round = 0; round < 60; round++) {
            norm = one_norm(set, round % 4 == 0) && norm;
            rotate = one_rotation(set) && rotate;
        }
        for (size_t count = 0; count <= 70; count++)
            elementwise = one_elementwise(set, count) && elementwise;
        ok(norm, "%s: RMSNorm is its 16 partial sums, in place too", set->name);
        ok(rotate, "%s: rotation leaves what doesn't rotate", set->name);
        ok(elementwise, "%s: exp, silu and add have the same bits in vectors and tails", set->name);
        special_values(set);
    }
    accuracy();
    return tap_done();
}
