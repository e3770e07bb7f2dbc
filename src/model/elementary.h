/* elementary.h - log, exp, sin and cos in float64, the same bits on every machine.
 *
 * The C library's differ between versions and processors in the last bit; angles of the
 * rotary embedding come from these instead. Errors are below 4e-16 relative (absolute for
 * sin and cos, |x| up to 2^36), far below the float32 that the tables hold.
 */
#ifndef PHI3SAT_MODEL_ELEMENTARY_H
#define PHI3SAT_MODEL_ELEMENTARY_H

double elementary_log(double x);   /* x > 0, normal  */
double elementary_exp(double x);   /* |x| < 700      */
void elementary_sincos(double x, double *sine, double *cosine);

#endif
