/* products.h - the time of one matrix product, with the machine's roof beside it.
 *
 * Flow: matrix, rows, precision, threads -> *products* -> operations a second and the share of the roof. Timed
 * is what profile does with a batch: packing the rows, decoding the weights and multiplying, from weights as they
 * stand in a file.
 */
#ifndef PHI3SAT_BENCH_PRODUCTS_H
#define PHI3SAT_BENCH_PRODUCTS_H

#include "../kernels/kernels.h"
#include "roof.h"
#include "synthetic.h"
#include "timing.h"

/* Names of the precisions that are built in, by enum kernels_mode; NULL behind the last. */
const char *const *products_precisions(void);

struct products_case {
    const struct synthetic_matrix *matrix;
    const struct kernels *kernels;
    enum kernels_mode mode;
    size_t rows;
    int threads;
};

struct products_result {
    enum kernels_mode computed;       /* F32 where the type has no form of the mode asked for   */
    const struct roof_loop *roof;
    struct timing_spread seconds;     /* of one product                                        */
    struct timing_spread rate, peak;  /* operations a second, 2 for a multiply-add; blocks' padding isn't counted */
    double share;                     /* rate.median / peak.median                              */
};

/* Times one case. threads_set is left at case.threads. Fails for want of memory only. */
enum status products_time(const struct products_case *c, const struct timing_plan *plan, struct products_result *result,
                          struct error *e) ERROR_MUST_USE;

#endif
