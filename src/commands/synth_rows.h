/* synth_rows.h - the numbers of a synthetic model, any row of any tensor at any time.
 *
 * Flow: shape, plants, vocabulary -> *rows* -> encoders -> file. A row depends on seed, layer, part and its number
 * alone, so threads make them in any order, and phi3 and llama, F32 and Q4_K, are the same network.
 */
#ifndef PHI3SAT_COMMANDS_SYNTH_ROWS_H
#define PHI3SAT_COMMANDS_SYNTH_ROWS_H

#include <stdint.h>

#include "synth_plants.h"
#include "synth_shape.h"
#include "synth_vocabulary.h"

/* All borrowed. */
struct synth_rows {
    const struct synth_shape *shape;
    const struct synth_plants *plants;
    const struct synth_vocabulary *vocabulary;
    uint64_t seed;
};

/* Hidden channels at the end that embeddings leave 0 but for three marks: half of the hidden size,
 * at most 32 (one block of every block format). The marks are its last three. */
size_t synth_rows_reserved(const struct synth_shape *shape);

/* Row `row` of tensor `t` into out[t->columns]. Thread-safe. */
void synth_rows_make(const struct synth_rows *rows, const struct synth_tensor *t, size_t row, float *out);

#endif
