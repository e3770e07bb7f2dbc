/* perplexity.h - how well a model foretells a text: exp of the mean negative log-likelihood of its tokens.
 *
 * Flow: a chunk of token ids -> logits of its second half (decode.h) -> *perplexity*. The conventions are those of
 * llama.cpp's perplexity tool (docs/methods.md): in a chunk of n tokens, positions n/2 .. n-2 are scored, each by the
 * likelihood of the token behind it.
 */
#ifndef PHI3SAT_MODEL_PERPLEXITY_H
#define PHI3SAT_MODEL_PERPLEXITY_H

#include "decode.h"

/* Shortest chunk that scores anything. */
#define PERPLEXITY_LEAST 4

/* Sums over scored tokens; zeroed is none. */
struct perplexity {
    size_t tokens;
    double sum, squares; /* of -log p, in token order                                 */
};

/* A whole run's constants, and room for a chunk. */
struct perplexity_run {
    struct decode *decode;   /* of at least `context` tokens                             */
    const struct kernels *kernels;
    size_t context, vocabulary;
    int32_t bos;             /* stands in each chunk's first place; -1: none does           */
    int32_t *ids;            /* [context]                                             */
    double *loss;            /* [context]: -log p of the token behind each                */
};

/* Fills in the rooms; the other fields are set. Free with perplexity_run_free (zeroed allowed). */
enum status perplexity_run_init(struct perplexity_run *run, struct error *e) ERROR_MUST_USE;
void perplexity_run_free(struct perplexity_run *run);

/* Adds the chunk ids[context] to *p. The same bits for any number of threads. */
enum status perplexity_add(struct perplexity *p, struct perplexity_run *run, const int32_t *ids, struct error *e) ERROR_MUST_USE;

/* -log of the probability that softmax(logits[count]) gives `id`: float32 exponentials, summed in float64 from 0 up. Overwrites
 * the logits. */
double perplexity_loss(const struct kernels *kernels, float *logits, size_t count, int32_t id);

double perplexity_value(const struct perplexity *p);
/* Its standard error, tokens taken as independent: value * sqrt(variance of -log p / (tokens - 1)). */
double perplexity_error(const struct perplexity *p);

#endif
