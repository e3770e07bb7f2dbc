/* test_elementary.c - our log, exp, sin and cos against the C library's in long double. */
#include <math.h>

#include "model/elementary.h"
#include "reference_sums.h"
#include "tap.h"

#define POINTS (tap_long() ? 20000000 : 200000)
#define BOUND 4e-16 /* elementary.h */

static double relative(double got, long double wanted)
{
    return (double)fabsl(((long double)got - wanted) / wanted);
}

static void logarithm(void)
{
    double worst = 0.0;
    for (int i = 0; i < POINTS; i++) {
        double x = exp((reference_uniform() - 0.5) * (i % 2 ? 2.0 : 1400.0));
        if (x != 1.0)
            worst = fmax(worst, relative(elementary_log(x), logl(x)));
    }
    ok(worst < BOUND, "log: largest relative error %.3g", worst);
    ok(elementary_log(1.0) == 0.0, "log of 1 is 0");
}

static void exponential(void)
{
    double worst = 0.0;
    for (int i = 0; i < POINTS; i++) {
        double x = (reference_uniform() - 0.5) * (i % 2 ? 2.0 : 1400.0);
        worst = fmax(worst, relative(elementary_exp(x), expl(x)));
    }
    ok(worst < BOUND, "exp: largest relative error %.3g", worst);
    ok(elementary_exp(0.0) == 1.0, "exp of 0 is 1");
}

static void circle(void)
{
    double worst = 0.0, round = 0.0;
    for (int i = 0; i < POINTS; i++) {
        double x = (reference_uniform() - 0.5) * ldexp(2.0, (int)(reference_random() % 37)), sine, cosine;
        if (i % 3 == 0) /* as near to multiples of pi/2 as they come */
            x = nearbyint(x / 1.5707963267948966) * 1.5707963267948966;
        elementary_sincos(x, &sine, &cosine);
        worst = fmax(worst, (double)fabsl((long double)sine - sinl(x)));
        worst = fmax(worst, (double)fabsl((long double)cosine - cosl(x)));
        round = fmax(round, fabs(sine * sine + cosine * cosine - 1.0));
    }
    ok(worst < BOUND, "sin and cos up to 2^36: largest error %.3g", worst);
    ok(round < 1e-15, "their squares add up to 1 within %.3g", round);
    double sine, cosine;
    elementary_sincos(0.0, &sine, &cosine);
    ok(sine == 0.0 && cosine == 1.0, "sin and cos of 0 are exact");
}

int main(void)
{
    logarithm();
    exponential();
    circle();
    return tap_done();
}
