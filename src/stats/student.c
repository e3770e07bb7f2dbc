/* student.c - see student.h.
 *
 * P(|T| >= t) is the regularised incomplete beta function I_x(df/2, 1/2) at x = df / (df + t^2) (Abramowitz and Stegun
 * 26.7.1), evaluated by its continued fraction (26.5.8, by Lentz's method), which converges within some dozen terms
 * where x < (a + 1) / (a + b + 2), and beyond that by the symmetry I_x(a, b) = 1 - I_(1-x)(b, a). The tail is
 * always on the first branch, so that no digits cancel there.
 */
#include "student.h"

#include <math.h>

/* The continued fraction of I_x(a, b). */
static double fraction(double a, double b, double x)
{
    double c = 1.0, d = 1.0 / (1.0 - (a + b) * x / (a + 1.0)), h = d;
    for (int m = 1; m < 10000; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1.0 / (1.0 + even * d);
        c = 1.0 + even / c;
        h *= d * c;
        d = 1.0 / (1.0 + odd * d);
        c = 1.0 + odd / c;
        h *= d * c;
        if (fabs(d * c - 1.0) < 1e-15)
            break;
    }
    return h;
}

/* log(Gamma(a + 1/2) / Gamma(a)). Far out both logarithms are large and their difference small: there by Stirling's
 * series, whose next term is 17 / (14336 a^7). */
static double log_ratio(double a)
{
    if (a < 50.0)
        return lgamma(a + 0.5) - lgamma(a);
    return 0.5 * log(a) - 1.0 / (8.0 * a) + 1.0 / (192.0 * a * a * a) - 1.0 / (640.0 * a * a * a * a * a);
}

/* I_x(a, 1/2) with y = 1 - x given as well, since one of the two may be tiny. */
static double beta(double a, double x, double y)
{
    const double b = 0.5;
    double front = exp(log_ratio(a) + (x > 0.5 ? a * log1p(-y) : a * log(x))) * sqrt(y / M_PI);
    if (x < (a + 1.0) / (a + b + 2.0))
        return front * fraction(a, b, x) / a;
    return 1.0 - front * fraction(b, a, y) / b;
}

double student_two_sided(double t, double df)
{
    double square = t * t;
    if (isnan(t) || isnan(df))
        return NAN;
    if (square == 0.0)
        return 1.0;
    if (isinf(square))
        return 0.0;
    return beta(0.5 * df, df / (df + square), square / (df + square));
}

double student_quantile(double level, double df)
{
    double low = 0.0, high = 1.0;
    while (student_two_sided(high, df) > 1.0 - level)
        high *= 2.0;
    for (int i = 0; i < 200 && high - low > 1e-14 * high; i++) {
        double middle = 0.5 * (low + high);
        if (student_two_sided(middle, df) > 1.0 - level)
            low = middle;
        else
            high = middle;
    }
    return 0.5 * (low + high);
}
