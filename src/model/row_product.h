/* row_product.h - one row times matrices in their vector form: what a single token's step is made of.
 *
 * Flow: a weight -> its vector form (kernels/interleave.h), once -> *row product* of each token. The packed way
 * decodes 16 outputs' weights to floats and multiplies by as many rows as it can get; with one row nearly all of its time
 * goes into that. The vector form is read as it is. The bits are the same (struct kernels_vector_way says so).
 */
#ifndef PHI3SAT_MODEL_ROW_PRODUCT_H
#define PHI3SAT_MODEL_ROW_PRODUCT_H

#include "forward_state.h"

/* Bytes of the weight's vector form, a multiple of 64; 0 when its type has none in this mode, or they don't fit a size_t. */
size_t row_product_bytes(const struct weight *w, const struct kernels *kernels, enum kernels_mode mode);

/* Fills groups[row_product_bytes] on threads_count() threads and sets w->groups. */
void row_product_repack(struct weight *w, uint8_t *groups);

/* The jobs whose weights have groups, on one row x [inputs]; the others are left alone. */
void row_product_run(struct forward *f, const struct product_job *job, size_t count, const float *x, bool add);

/* f->ffn [intermediate] = silu(gate) * up of the row: each thread makes its neurons' gate, their up and the product in one go. */
void row_product_ffn(struct forward *f, const struct weights_layer *w, const float *x);

#endif
