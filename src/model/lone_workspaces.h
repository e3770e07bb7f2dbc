/* lone_workspaces.h - what lone_product.c and lone_ffn.c share: a forward pass's memory without a model. */
#ifndef PHI3SAT_MODEL_LONE_WORKSPACES_H
#define PHI3SAT_MODEL_LONE_WORKSPACES_H

#include "forward_state.h"
#include "lone_product.h"

/* Workspaces for threads_count() threads: panels, and `tiles` (up to 3) tiles of `rows` rows. On failure what was opened is left
 * for lone_workspaces_close, which frees packed rows too. */
enum status lone_workspaces_open(struct forward *f, size_t panel_bytes, size_t rows, size_t tiles,
                                 struct error *e) ERROR_MUST_USE;
void lone_workspaces_close(struct forward *f);

/* A weight of its own, with the tensor that it points at. */
void lone_weight(struct weight *w, struct model_file_tensor *t, const struct lone_product_matrix *m);

#endif
