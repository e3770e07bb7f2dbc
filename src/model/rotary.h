/* rotary.h - cosines and sines of the rotary embedding, by position.
 *
 * Flow: config, factors -> *rotary tables* -> forward pass. Angles are float64: position / divisor
 * * base^(-2i/rotary) / factor_i (YaRN: with a divisor that depends on i); the tables hold float32. LongRoPE: a prompt longer than
 * the original context uses the long factors for all its positions, as HF does.
 */
#ifndef PHI3SAT_MODEL_ROTARY_H
#define PHI3SAT_MODEL_ROTARY_H

#include "weights.h"

struct rotary_table {
    float *cosine, *sine; /* [positions, half]                                     */
    size_t positions;     /* filled                                                */
    size_t capacity;      /* floats in each array                                  */
};

struct rotary {
    size_t half;                  /* rotary / 2                                    */
    double *frequency[2];         /* [half]: short (or only), long                  */
    struct rotary_table table[2];
    size_t original_context;
    bool has_long;
    double attention_factor;
};

enum status rotary_init(struct rotary *r, const struct config *c, const struct weights *w,
                        struct error *e) ERROR_MUST_USE;
void rotary_free(struct rotary *r);

/* Makes the tables long enough for a prompt of `length` tokens and returns the one it
 * uses in *table (valid until the next call). Not thread-safe. */
enum status rotary_prepare(struct rotary *r, size_t length, const struct rotary_table **table,
                           struct error *e) ERROR_MUST_USE;

#endif
