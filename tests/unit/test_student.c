/* test_student.c - Student's t against closed forms and tables.
 *
 * 1 degree of freedom: P = 1 - 2 atan(t) / pi; 2: 1 - t / sqrt(2 + t^2); 4: 1 - (3/2) s + s^3 / 2 with s = t / sqrt(4 + t^2).
 * Many: the normal distribution, erfc(t / sqrt 2).
 */
#include <math.h>

#include "stats/student.h"
#include "tap.h"

static double closed(double t, int df)
{
    if (df == 1)
        return 2.0 * atan2(1.0, t) / M_PI;
    if (df == 2) /* 1 - t / sqrt(2 + t^2), without the cancellation */
        return 2.0 / (sqrt(2.0 + t * t) * (sqrt(2.0 + t * t) + t));
    double s = t / sqrt(4.0 + t * t), rest = 4.0 / (4.0 + t * t) / (1.0 + s); /* rest = 1 - s */
    return 0.5 * rest * rest * (2.0 + s);
}

int main(void)
{
    static const int degrees[] = {1, 2, 4};
    for (int i = 0; i < 3; i++) {
        double worst = 0.0;
        for (double t = 1e-3; t < 1e6; t *= 1.7)
            worst = fmax(worst, fabs(student_two_sided(t, degrees[i]) / closed(t, degrees[i]) - 1.0));
        ok(worst < 1e-11, "%d degrees of freedom: the closed form, to %.1e", degrees[i], worst);
    }
    double worst = 0.0;
    for (double t = 0.1; t < 6.0; t += 0.1)
        worst = fmax(worst, fabs(student_two_sided(t, 1e9) / erfc(t / sqrt(2.0)) - 1.0));
    ok(worst < 1e-6, "a thousand million: the normal distribution, to %.1e", worst);
    is_double(student_two_sided(-2.5, 7.0), student_two_sided(2.5, 7.0), 0.0, "the sign doesn't matter");
    is_double(student_two_sided(0.0, 7.0), 1.0, 0.0, "no difference: 1");
    is_double(student_two_sided(INFINITY, 7.0), 0.0, 0.0, "an infinite one: 0");
    ok(isnan(student_two_sided(NAN, 7.0)) && isnan(student_two_sided(1.0, NAN)), "a missing one: missing");
    ok(student_two_sided(40.0, 1000.0) > 0.0 && student_two_sided(40.0, 1000.0) < 1e-200, "the far tail isn't 0");
    is_double(student_quantile(0.95, 1.0), 12.7062047364, 1e-9, "95 %% and 1 degree of freedom: 12.706");
    is_double(student_quantile(0.95, 9.0), 2.2621571628, 1e-9, "95 %% and 9: 2.262");
    is_double(student_quantile(0.99, 29.0), 2.7563859037, 1e-9, "99 %% and 29: 2.756");
    is_double(student_quantile(0.95, 1e9), 1.959964, 1e-6, "95 %% and many: 1.960");
    return tap_done();
}
