/* elementary.c - short series after exact argument reduction; see elementary.h.
 *
 * log: x = m 2^e with m in [sqrt(1/2), sqrt(2)), ln m = 2 atanh((m-1)/(m+1)).
 * exp: x = n ln 2 + r, Taylor to r^14. sin, cos: x = k pi/2 + r with pi/2 in two parts
 * (Cody & Waite 1980), Taylor to r^19 and r^18. Only + - * /, fma and exact scaling.
 */
#include "elementary.h"

#include <math.h>

#define LN2_HIGH 0x1.62e42fefa38p-1           /* 44 bits: times an exponent it is exact */
#define LN2_LOW 0x1.ef35793c7673p-45
#define HALF_PI_HIGH 0x1.921fb54442d18p+0
#define HALF_PI_LOW 0x1.1a62633145c07p-54
#define TWO_OVER_PI 0x1.45f306dc9c883p-1

double elementary_log(double x)
{
    int e;
    double m = frexp(x, &e);
    if (m < 0.70710678118654752) {
        m *= 2.0;
        e--;
    }
    double s = (m - 1.0) / (m + 1.0), s2 = s * s, series = 0.0;
    for (int k = 25; k >= 3; k -= 2)
        series = (series + 1.0 / k) * s2;
    double ln_m = 2.0 * s + 2.0 * s * series;
    return e * LN2_HIGH + (e * LN2_LOW + ln_m);
}

double elementary_exp(double x)
{
    double n = rint(x / 0.69314718055994531);
    double r = fma(-n, LN2_HIGH, x);
    r = fma(-n, LN2_LOW, r);
    double series = 1.0;
    for (int k = 14; k >= 1; k--)
        series = fma(series, r / k, 1.0);
    return ldexp(series, (int)n);
}

void elementary_sincos(double x, double *sine, double *cosine)
{
    double k = rint(x * TWO_OVER_PI);
    double r = fma(-k, HALF_PI_HIGH, x);
    r = fma(-k, HALF_PI_LOW, r);
    double r2 = r * r, s = 1.0, c = 1.0;
    for (int i = 18; i >= 2; i -= 2) {
        s = fma(-s * r2, 1.0 / (i * (i + 1)), 1.0);
        c = fma(-c * r2, 1.0 / (i * (i - 1)), 1.0);
    }
    s *= r;
    switch ((long long)k & 3) {
    case 0: *sine = s, *cosine = c; break;
    case 1: *sine = c, *cosine = -s; break;
    case 2: *sine = -s, *cosine = -c; break;
    default: *sine = -c, *cosine = s; break;
    }
}
