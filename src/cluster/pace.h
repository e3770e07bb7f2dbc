/* pace.h - what a rank takes for a batch: a line through a few measured ones.
 *
 * Flow: model, a few batches run here -> *pace* -> simulate. Seconds of one layer and one batch:
 *     chunk * chunks + token * tokens + token_pair * sum of length^2 + prompt * prompts
 * Chunks cost the decoding of weights, prompts the folding of their sums into the exact state.
 */
#ifndef PHI3SAT_CLUSTER_PACE_H
#define PHI3SAT_CLUSTER_PACE_H

#include "../kernels/kernels.h"
#include "../model/config.h"
#include "../model/weights.h"
#include "intake.h"

/* The parts of a batch's cost. */
enum { PACE_CHUNK, PACE_TOKEN, PACE_PAIR, PACE_PROMPT, PACE_TERMS };

struct pace {
    double seconds[PACE_TERMS]; /* of one layer                                        */
    double last;                /* the last layer's share of that: it has no down projection */
    double merge;               /* bytes of state a second that one rank adds to its own */
    double error;               /* largest relative difference between line and measurement; 0: none was made */
};

/* What a batch is made of. */
struct pace_batch {
    double terms[PACE_TERMS];
};

/* Adds a prompt of `length` tokens; pace_batch_end then counts chunks of `batch_tokens`. */
void pace_batch_add(struct pace_batch *b, uint64_t length);
void pace_batch_end(struct pace_batch *b, size_t batch_tokens);

/* Seconds of one layer. */
double pace_seconds(const struct pace *p, const struct pace_batch *b);

/* Least squares of the relative errors, no term below 0. */
void pace_fit(struct pace *p, const struct pace_batch *batches, const double *seconds, size_t count);

/* A pace from 10^9 floating-point operations a second. */
void pace_assume(struct pace *p, const struct config *c, double gflops);

struct pace_options {
    size_t batch_tokens, window;
    enum kernels_mode mode;
    double budget;           /* seconds that the measurement may take, about          */
};

/* Runs some batches like those of items[count] through two layers (of random ids), on all ranks at once, with
 * threads_count() threads each, and fits the slowest. Collective. */
enum status pace_measure(struct pace *p, const struct ranks *r, const struct config *c, const struct weights *w,
                         const struct kernels *kernels, const struct intake_item *items, size_t count,
                         const struct pace_options *options, struct error *e) ERROR_MUST_USE;

#endif
