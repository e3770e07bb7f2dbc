/* factored_ffn.h - an FFN whose three matrices are products of two thin ones each.
 *
 * Flow: spectra of gate, up, down -> *factored FFN* of some share of the weights -> a subject of timing.h, and its output.
 */
#ifndef PHI3SAT_BENCH_FACTORED_FFN_H
#define PHI3SAT_BENCH_FACTORED_FFN_H

#include "low_rank.h"

struct factored_ffn; /* opaque: one caller at a time */

/* `spectrum`: of gate, up and down, borrowed during the call only. Matrices have no padding (a model's have none). For up to `few` rows in
 * repacked form, `copies` of it, where the type has one; and for up to `many` rows. STATUS_USAGE: the type has no
 * encoder, or it takes too much memory. Free with factored_ffn_close (NULL allowed). */
enum status factored_ffn_open(struct factored_ffn **f, const struct low_rank_spectrum spectrum[3], double share,
                              const struct kernels *kernels, enum kernels_mode mode, size_t few, size_t many, size_t copies,
                              struct error *e) ERROR_MUST_USE;
void factored_ffn_close(struct factored_ffn *f);

/* Of the next runs: rows, and where they are [rows, hidden]; borrowed. One run; its output [rows, hidden]. */
void factored_ffn_input(struct factored_ffn *f, size_t rows, const float *x);
void factored_ffn_run(void *f);
const float *factored_ffn_output(const struct factored_ffn *f);

/* Bytes of weights of all factors; FLOPs of a run; gate's rank. */
double factored_ffn_bytes(const struct factored_ffn *f);
double factored_ffn_flops(const struct factored_ffn *f);
size_t factored_ffn_rank(const struct factored_ffn *f);

#endif
