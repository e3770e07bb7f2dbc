/* low_rank.h - a weight matrix as the product of two thinner ones: its truncated singular value decomposition.
 *
 * Flow: matrix -> spectrum, once -> *low rank*, any rank -> factored_ffn.c. Of all matrices of that rank it is nearest to
 * the weights in the sum of squares (Eckart and Young, Psychometrika 1, 1936), before both factors are encoded
 * in a weight type again.
 */
#ifndef PHI3SAT_BENCH_LOW_RANK_H
#define PHI3SAT_BENCH_LOW_RANK_H

#include "../model/lone_product.h"

/* The singular vectors of a matrix [outputs, inputs] on its shorter side, the largest singular value first. */
struct low_rank_spectrum {
    const struct lone_product_matrix *matrix;
    size_t size;         /* of the shorter side                                       */
    double *weights;     /* [outputs, inputs] decoded                                  */
    double *vector;      /* [size, size]: a row each                                   */
    double *square;      /* [size]: squared singular values                             */
};

/* `matrix` is borrowed. Takes 8 bytes a weight and two squares of the shorter side; LAPACK has to be loaded. Free with
 * low_rank_spectrum_close (zeroed allowed). */
enum status low_rank_spectrum_open(struct low_rank_spectrum *s, const struct lone_product_matrix *matrix, struct error *e) ERROR_MUST_USE;
void low_rank_spectrum_close(struct low_rank_spectrum *s);

/* W is about left [outputs, rank] times right [rank, inputs]. */
struct low_rank {
    struct lone_product_matrix left, right;
    uint8_t *own[2];
};

/* The rank whose two factors have about `share` of the matrix's weights: a multiple of the type's block, at least one, at most the
 * shorter side (rounded up to a block). */
size_t low_rank_of(const struct lone_product_matrix *matrix, double share);

/* Both factors in the matrix's type. STATUS_USAGE: it has no encoder. Free with low_rank_close (zeroed allowed). */
enum status low_rank_open(struct low_rank *l, const struct low_rank_spectrum *s, size_t rank, struct error *e) ERROR_MUST_USE;
void low_rank_close(struct low_rank *l);

#endif
