/* encode_fit.c - see encode_fit.h.
 *
 * With q fixed, the squared error of an affine grid is a parabola in scale and minimum, and its
 * lowest point needs the sums of q, q^2, x q only (the normal equations). The error there follows
 * from the same sums, so that a candidate takes one pass over the weights. It is computed in double,
 * since it is a small difference of sums.
 *
 * Plain squared error, every weight alike: llama.cpp weighs by |x| instead, which serves large weights
 * better and makes the root mean square error larger. What is better for a model depends on its activations,
 * which an encoder without calibration data doesn't know.
 *
 * Lanes are GCC's vectors of four floats, which every machine has; larger ones gained nothing.
 * Rounding to nearest (ties to even) adds and subtracts 1.5 2^23, exact for |v| < 2^22: what is
 * rounded lies within the clamp, which comes first.
 */
#include "encode_fit.h"

#include <math.h>
#include <string.h>

#include "half.h"

typedef float lanes __attribute__((vector_size(16), aligned(4)));

#define LANES 4
#define STEPS 10 /* candidates on either side, a tenth of a level apart */

static inline lanes load(const float *p)
{
    lanes v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline lanes all(float v)
{
    return (lanes){v, v, v, v};
}

static inline float total(lanes v)
{
    return (v[0] + v[2]) + (v[1] + v[3]);
}

static inline lanes rounded(lanes v, float low, float high)
{
    const lanes magic = all(12582912.0f);
    for (int l = 0; l < LANES; l++) { /* becomes two instructions; NaN becomes low */
        v[l] = v[l] > low ? v[l] : low;
        v[l] = v[l] < high ? v[l] : high;
    }
    return (v + magic) - magic;
}

static struct encode_sums plain_sums(const float *w, size_t n)
{
    lanes x = all(0), xx = all(0);
    for (size_t i = 0; i < n; i += LANES) {
        lanes v = load(w + i);
        x += v;
        xx += v * v;
    }
    return (struct encode_sums){.x = (double)total(x), .xx = (double)total(xx)};
}

/* Adds the sums with q of one candidate: q = round((w - minimum) inverse). */
static void candidate_sums(const float *w, size_t n, float minimum, float inverse, float low, float high,
                           struct encode_sums *s)
{
    lanes q = all(0), xq = all(0), qq = all(0);
    for (size_t i = 0; i < n; i += LANES) {
        lanes v = load(w + i), r = rounded((v - all(minimum)) * all(inverse), low, high);
        q += r;
        xq += v * r;
        qq += r * r;
    }
    s->q = (double)total(q);
    s->xq = (double)total(xq);
    s->qq = (double)total(qq);
}

static double affine_error(const struct encode_sums *s, double n, double scale, double minimum)
{
    return s->xx - 2 * (scale * s->xq + minimum * s->x) + scale * scale * s->qq + 2 * scale * minimum * s->q +
           n * minimum * minimum;
}

/* Least squares for fixed q. `minimum` may be held at 0. */
static double solve_affine(const struct encode_sums *s, double n, bool at_zero, bool below_zero,
                           struct encode_affine *grid)
{
    double determinant = n * s->qq - s->q * s->q, scale = 0, minimum = 0;
    if (!at_zero && determinant > 0) {
        scale = (n * s->xq - s->x * s->q) / determinant;
        minimum = (s->x - scale * s->q) / n;
    }
    if (at_zero || !(determinant > 0) || (below_zero && minimum > 0)) {
        scale = s->qq > 0 ? s->xq / s->qq : 0;
        minimum = 0;
    }
    if (scale < 0)
        return HUGE_VAL;
    *grid = (struct encode_affine){(float)scale, (float)minimum};
    return affine_error(s, n, scale, minimum);
}

struct encode_affine encode_fit_affine(const float *w, size_t n, int top, bool below_zero)
{
    float low = w[0], high = w[0];
    for (size_t i = 1; i < n; i++) {
        low = w[i] < low ? w[i] : low;
        high = w[i] > high ? w[i] : high;
    }
    const bool at_zero = low == 0 || (below_zero && low > 0);
    struct encode_affine best = {0, at_zero ? 0 : low};
    if (at_zero)
        low = 0;
    if (!(high > low)) /* all alike */
        return below_zero && high > 0 ? (struct encode_affine){high / (float)top, 0} : best;
    struct encode_sums s = plain_sums(w, n);
    best.scale = (high - low) / (float)top;
    candidate_sums(w, n, low, (float)top / (high - low), 0, (float)top, &s);
    double least = affine_error(&s, (double)n, (double)best.scale, (double)low);
    for (int step = -STEPS; step <= STEPS; step++) {
        struct encode_affine grid;
        candidate_sums(w, n, low, ((float)top + 0.1f * (float)step) / (high - low), 0, (float)top, &s);
        double error = solve_affine(&s, (double)n, at_zero, below_zero, &grid);
        if (error < least) {
            least = error;
            best = grid;
        }
    }
    return best;
}

float encode_fit_symmetric(const float *w, size_t n, int levels)
{
    float largest = 0;
    for (size_t i = 0; i < n; i++)
        largest = fabsf(w[i]) > fabsf(largest) ? w[i] : largest;
    if (largest == 0)
        return 0;
    float best = -largest / (float)levels;
    struct encode_sums s = plain_sums(w, n);
    double least = HUGE_VAL;
    for (int step = -STEPS; step <= STEPS; step++) {
        float inverse = -((float)levels + 0.1f * (float)step) / largest;
        candidate_sums(w, n, 0, inverse, (float)-levels, (float)(levels - 1), &s);
        if (!(s.qq > 0))
            continue;
        double scale = s.xq / s.qq, error = s.xx - s.xq * scale;
        if (error < least) {
            least = error;
            best = (float)scale;
        }
    }
    return best;
}

static float inverse_of(float scale)
{
    float inverse = scale != 0 ? 1.0f / scale : 0;
    return isfinite(inverse) ? inverse : 0;
}

float encode_fit_error(const float *w, size_t n, struct encode_affine grid, int low, int high)
{
    const float inverse = inverse_of(grid.scale);
    lanes error = all(0);
    for (size_t i = 0; i < n; i += LANES) {
        lanes v = load(w + i) - all(grid.minimum);
        v -= rounded(v * all(inverse), (float)low, (float)high) * all(grid.scale);
        error += v * v;
    }
    return total(error);
}

void encode_fit_round(const float *w, size_t n, struct encode_affine grid, int low, int high, int8_t *q,
                      struct encode_sums *sums)
{
    const float inverse = inverse_of(grid.scale);
    for (size_t i = 0; i < n; i += LANES) {
        lanes r = rounded((load(w + i) - all(grid.minimum)) * all(inverse), (float)low, (float)high);
        for (size_t l = 0; l < LANES; l++)
            q[i + l] = (int8_t)r[l];
    }
    if (sums) {
        *sums = plain_sums(w, n);
        candidate_sums(w, n, grid.minimum, inverse, (float)low, (float)high, sums);
    }
}

uint16_t encode_fit_half(float scale)
{
    if (isnan(scale))
        return 0;
    return half_from_float(scale > 65504.0f ? 65504.0f : scale < -65504.0f ? -65504.0f : scale);
}
