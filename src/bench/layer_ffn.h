/* layer_ffn.h - one layer's FFN to be timed: gate and up separate or fused, for a few rows or many.
 *
 * Flow: weights of one or several layers -> *layer FFN* -> a subject of timing.h, and its output. Up to LAYER_FFN_FEW_ROWS rows go through
 * weights that are repacked once (repacked.h), as decoding text does; more go through profile's own code from
 * weights as they stand in a file (model/lone_ffn.h). Types without a repacked form always do.
 */
#ifndef PHI3SAT_BENCH_LAYER_FFN_H
#define PHI3SAT_BENCH_LAYER_FFN_H

#include "../model/lone_ffn.h"

/* From 16 rows on, decoding a panel once for all rows is faster than decoding it in registers (docs/benchmarks.md). */
#define LAYER_FFN_FEW_ROWS 8

struct layer_ffn_case {
    const struct lone_ffn_weights *layer; /* [layers], all of one shape; taken in turn, run by run  */
    size_t layers;
    size_t copies;                        /* of each in repacked form, so that they come from memory */
    const struct kernels *kernels;
    enum kernels_mode mode;
    bool fused;
    size_t few, many;                     /* rows of the largest batches up to and above LAYER_FFN_FEW_ROWS; 0: none */
};

struct layer_ffn; /* opaque: one caller at a time */

/* All that `c` points at is borrowed, the array `layer` too. For threads_count() threads as set at this call and by
 * layer_ffn_run. STATUS_USAGE when the repacked copies take more than half of the machine's memory. Free with layer_ffn_close. */
enum status layer_ffn_open(struct layer_ffn **ffn, const struct layer_ffn_case *c, struct error *e) ERROR_MUST_USE;
void layer_ffn_close(struct layer_ffn *ffn);

/* Of the next runs: rows, and where they are [rows, gate.inputs]; borrowed. */
void layer_ffn_input(struct layer_ffn *ffn, size_t rows, const float *x);

/* One run; `ffn` is a struct layer_ffn. Takes the next layer or copy. */
void layer_ffn_run(void *ffn);

/* The next run takes this layer. */
void layer_ffn_select(struct layer_ffn *ffn, size_t layer);

/* [rows, down.outputs] of the last run. */
const float *layer_ffn_output(const struct layer_ffn *ffn);

/* Of a run: bytes of weights (row ends and groups' ends included), FLOPs (2 a multiply-add; products only, padding not
 * counted), whether weights were repacked, and the precision of the gate's product. */
double layer_ffn_bytes(const struct layer_ffn *ffn);
double layer_ffn_flops(const struct layer_ffn *ffn);
bool layer_ffn_repacked(const struct layer_ffn *ffn);
enum kernels_mode layer_ffn_mode(const struct layer_ffn *ffn);

#endif
