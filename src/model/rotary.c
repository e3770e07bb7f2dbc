/* rotary.c - fills the tables of the rotary embedding; see rotary.h.
 *
 * Rejected: float32 angles as in other engines (at position 4096 they are off by up to 2e-4
 * rad, and by different amounts in each engine); float64 costs nothing here. */
#include "rotary.h"

#include <math.h>
#include <string.h>

#include "../base/memory.h"
#include "elementary.h"

#define TWO_PI 6.2831853071795864769

/* The dimension pair that makes so many turns in the original context, as a real number. */
static double pair_of_turns(const struct config *c, double turns, double ln_base)
{
    return (double)c->rotary * elementary_log((double)c->original_context / (turns * TWO_PI)) / (2.0 * ln_base);
}

/* YaRN: pairs up to `low` keep their frequency, from `high` on it is divided by the factor, and between them the two are blended
 * linearly. */
struct blend {
    double low, high;
};

static struct blend blend_of(const struct config *c, double ln_base)
{
    struct blend b = {floor(pair_of_turns(c, c->yarn_fast, ln_base)), ceil(pair_of_turns(c, c->yarn_slow, ln_base))};
    const double last = (double)c->rotary - 1.0;
    b.low = b.low > 0.0 ? b.low : 0.0;
    b.high = b.high < last ? b.high : last;
    if (b.low == b.high) /* a step, as the reference has it */
        b.high += 0.001;
    return b;
}

static double blended(const struct blend *b, double pair, double frequency, double factor)
{
    double share = (pair - b->low) / (b->high - b->low);
    share = share < 0.0 ? 0.0 : share > 1.0 ? 1.0 : share;
    return frequency / factor * share + frequency * (1.0 - share);
}

static enum status fill_frequencies(struct rotary *r, int set, const struct config *c, const float *factors,
                                    struct error *e)
{
    enum status s = memory_array(&r->frequency[set], r->half, sizeof(double), "rotary frequencies", e);
    if (s != STATUS_OK)
        return s;
    double ln_base = elementary_log(c->rope_base);
    struct blend blend = {0.0, 0.0};
    if (c->yarn)
        blend = blend_of(c, ln_base);
    for (size_t i = 0; i < r->half; i++) {
        double power = -2.0 * (double)i / (double)c->rotary * ln_base;
        double frequency = elementary_exp(power);
        frequency = c->yarn ? blended(&blend, (double)i, frequency, c->rope_divisor) : frequency / c->rope_divisor;
        r->frequency[set][i] = factors ? frequency / (double)factors[i] : frequency;
    }
    return STATUS_OK;
}

enum status rotary_init(struct rotary *r, const struct config *c, const struct weights *w, struct error *e)
{
    memset(r, 0, sizeof *r);
    r->half = c->rotary / 2;
    r->original_context = c->original_context;
    r->has_long = w->factors_long != NULL;
    r->attention_factor = c->attention_factor;
    enum status s = fill_frequencies(r, 0, c, w->factors_short, e);
    if (s == STATUS_OK)
        s = fill_frequencies(r, 1, c, w->factors_long, e);
    if (s != STATUS_OK)
        rotary_free(r);
    return s;
}

void rotary_free(struct rotary *r)
{
    for (int set = 0; set < 2; set++) {
        memory_free(r->frequency[set]);
        memory_free(r->table[set].cosine);
        memory_free(r->table[set].sine);
    }
    memset(r, 0, sizeof *r);
}

enum status rotary_prepare(struct rotary *r, size_t length, const struct rotary_table **table, struct error *e)
{
    int set = r->has_long && length > r->original_context;
    struct rotary_table *t = &r->table[set];
    size_t floats, sine_capacity = t->capacity;
    *table = t;
    if (length <= t->positions)
        return STATUS_OK;
    if (!memory_multiply(length, r->half ? r->half : 1, &floats))
        return error_set(e, STATUS_FAILED, "a prompt of %zu tokens is too long", length);
    enum status s = memory_grow(&t->sine, &sine_capacity, floats, sizeof(float), "rotary tables", e);
    if (s == STATUS_OK)
        s = memory_grow(&t->cosine, &t->capacity, floats, sizeof(float), "rotary tables", e);
    if (s != STATUS_OK)
        return s;
    for (size_t p = t->positions; p < length; p++)
        for (size_t i = 0; i < r->half; i++) {
            double sine, cosine;
            elementary_sincos((double)p * r->frequency[set][i], &sine, &cosine);
            t->cosine[p * r->half + i] = (float)(cosine * r->attention_factor);
            t->sine[p * r->half + i] = (float)(sine * r->attention_factor);
        }
    t->positions = length;
    return STATUS_OK;
}
