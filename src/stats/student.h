/* student.h - Student's t distribution: how surprising a difference is, and how wide an interval has to be.
 *
 * Flow: differences and standard errors -> *probabilities* -> contrast, sureness.
 */
#ifndef PHI3SAT_STATS_STUDENT_H
#define PHI3SAT_STATS_STUDENT_H

/* The probability of |T| >= |t| with df > 0 degrees of freedom; NaN for a NaN. Relative error about 1e-12, far
 * into the tail. Pure. */
double student_two_sided(double t, double df);

/* The t >= 0 for which that probability is 1 - level, 0 < level < 1. */
double student_quantile(double level, double df);

#endif
