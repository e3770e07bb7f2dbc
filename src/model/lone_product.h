/* lone_product.h - one matrix product as the forward pass does it, without a model around it.
 *
 * Flow: a matrix, rows -> *lone product* -> rows. For benchmarks, which must time the very code that profile
 * runs: packing of the rows, decoding of the weights, tiles, threads (product.c).
 */
#ifndef PHI3SAT_MODEL_LONE_PRODUCT_H
#define PHI3SAT_MODEL_LONE_PRODUCT_H

#include "../kernels/kernels.h"

/* What is multiplied: weights [outputs, inputs] of one type; inputs is a multiple of its block. All borrowed. */
struct lone_product_matrix {
    const struct quants_format *format;
    const uint8_t *bytes;
    size_t outputs, inputs;
    size_t row_bytes;    /* from row to row; 0: no gaps                             */
};

/* From row to row; and all that a product reads, gaps left out. */
size_t lone_product_row_bytes(const struct lone_product_matrix *matrix);
double lone_product_bytes(const struct lone_product_matrix *matrix);

struct lone_product; /* opaque: the matrix, and buffers for `rows` rows and some threads */

/* Makes room for products of at most `rows` (at least 1) rows on threads_count() threads as set at this call. The type can be
 * decoded. Fails for want of memory only. Free with lone_product_close (NULL allowed). */
enum status lone_product_open(struct lone_product **product, const struct lone_product_matrix *matrix,
                              const struct kernels *kernels, enum kernels_mode mode, size_t rows,
                              struct error *e) ERROR_MUST_USE;
void lone_product_close(struct lone_product *product);

/* The precision it computes in: that of `mode`, or KERNELS_F32 where the type has no other form. */
enum kernels_mode lone_product_mode(const struct lone_product *product);

/* y [rows, outputs] = x [rows, inputs] times the matrix, on threads_count() threads. One caller at a time. */
void lone_product_run(struct lone_product *product, size_t rows, const float *x, float *y);

#endif
