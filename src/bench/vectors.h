/* vectors.h - the time of a product of a few rows with a repacked matrix, between its two roofs.
 *
 * Flow: matrix -> vector form, several copies -> *vectors* -> operations a second, beside what memory and what
 * instructions allow. Each run takes the next copy, so that weights come from memory as they do in a model.
 */
#ifndef PHI3SAT_BENCH_VECTORS_H
#define PHI3SAT_BENCH_VECTORS_H

#include "products.h"

struct vectors_result {
    enum kernels_mode computed;
    struct timing_spread seconds;    /* of one product                                        */
    struct timing_spread rate;       /* operations a second, 2 for a multiply-add               */
    double memory, instructions;     /* the roofs, in operations a second: medians. Instructions 0: not known for this set */
    double bytes_rate, bytes_peak;   /* bytes of weights a second, and what reading alone reaches */
    double share;                    /* of the lower roof                                      */
};

struct vectors; /* opaque: copies of one matrix in vector form */

/* Repacks a matrix. `size` bytes of weights at least, in whole copies (one at least). STATUS_USAGE when the type has no vector
 * form or it doesn't fit the machine. Free with vectors_close (NULL allowed). */
enum status vectors_open(struct vectors **vectors, const struct synthetic_matrix *matrix, size_t size,
                         struct error *e) ERROR_MUST_USE;
void vectors_close(struct vectors *vectors);

/* Times one case, whose matrix is that of `vectors`. threads_set is left at case.threads. STATUS_USAGE when the type has no
 * vector way in this mode. */
enum status vectors_time(struct vectors *vectors, const struct products_case *c, const struct timing_plan *plan,
                         struct vectors_result *result, struct error *e) ERROR_MUST_USE;

/* Relative L2 distance of what the last vectors_time computed to the product of the same activations with `plain`: the same numbers as
 * F32, of which the matrix's are the encoded ones. Fails for want of memory only. */
enum status vectors_error(struct vectors *vectors, const struct synthetic_matrix *plain, const struct kernels *kernels, double *error,
                          struct error *e) ERROR_MUST_USE;

#endif
