/* lapack.h - the few routines of BLAS and LAPACK that truncated singular value decompositions need.
 *
 * Flow: matrices -> *LAPACK* -> low_rank.c. The library is loaded when it is first asked for, not linked: OpenBLAS starts
 * its threads as soon as it is there, in each of 64 ranks that never call it.
 */
#ifndef PHI3SAT_BENCH_LAPACK_H
#define PHI3SAT_BENCH_LAPACK_H

#include <stddef.h>

#include "../base/error.h"

/* Loads liblapack.so.3, or OpenBLAS; PHI3SAT_LAPACK in the environment names another library. STATUS_FAILED when there is none, with the
 * package's name. Once it has worked it does nothing. Not thread-safe. */
enum status lapack_load(struct error *e) ERROR_MUST_USE;

/* The others need lapack_load. Matrices are float64, row by row without gaps; sizes below 2^31. */

/* c [n, n] = a^T a of a [rows, n]; all of it. */
void lapack_gram(size_t rows, size_t n, const double *a, double *c);

/* c [m, n] = a [m, k] b [k, n]. */
void lapack_multiply(size_t m, size_t k, size_t n, const double *a, const double *b, double *c);

/* Eigenvectors of the symmetric a [n, n], which they replace: row i belongs to value[i]; values descend. DSYEVD (LAPACK Users'
 * Guide, 2.2.5.2). STATUS_FAILED: no memory, or it did not converge. */
enum status lapack_eigenvectors(size_t n, double *a, double *value, struct error *e) ERROR_MUST_USE;

#endif
