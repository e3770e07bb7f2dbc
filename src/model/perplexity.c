/* perplexity.c - see perplexity.h.
 *
 * Losses are summed in token order on one thread, so that the value does not depend on how many threads made them.
 */
#include "perplexity.h"

#include <math.h>
#include <string.h>

#include "../base/memory.h"
#include "elementary.h"

enum status perplexity_run_init(struct perplexity_run *run, struct error *e)
{
    run->ids = NULL;
    run->loss = NULL;
    enum status s = memory_array(&run->ids, run->context, sizeof *run->ids, "a chunk's tokens", e);
    return s == STATUS_OK ? memory_array(&run->loss, run->context, sizeof *run->loss, "a chunk's losses", e) : s;
}

void perplexity_run_free(struct perplexity_run *run)
{
    memory_free(run->ids);
    memory_free(run->loss);
    run->ids = NULL;
    run->loss = NULL;
}

double perplexity_loss(const struct kernels *kernels, float *logits, size_t count, int32_t id)
{
    float most = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        if (isnan(logits[i]))
            return NAN;
        most = logits[i] > most ? logits[i] : most;
    }
    if (!isfinite(most))
        return NAN;
    for (size_t i = 0; i < count; i++)
        logits[i] -= most;
    const double own = (double)logits[id];
    double sum = 0;
    float part[256];
    for (size_t i = 0; i < count; i += 256) {
        const size_t left = count - i < 256 ? count - i : 256;
        kernels->exponential(left, logits + i, part);
        for (size_t k = 0; k < left; k++)
            sum += (double)part[k];
    }
    return elementary_log(sum) - own;
}

static void score(void *context, size_t position, float *logits)
{
    struct perplexity_run *run = context;
    if (position + 1 < run->context)
        run->loss[position] = perplexity_loss(run->kernels, logits, run->vocabulary, run->ids[position + 1]);
}

enum status perplexity_add(struct perplexity *p, struct perplexity_run *run, const int32_t *ids, struct error *e)
{
    const struct decode_listener listener = {score, run, run->context / 2};
    memcpy(run->ids, ids, run->context * sizeof *ids);
    if (run->bos >= 0)
        run->ids[0] = run->bos;
    decode_rewind(run->decode, 0);
    enum status s = decode_feed(run->decode, run->ids, run->context, &listener, e);
    for (size_t i = run->context / 2; i + 1 < run->context && s == STATUS_OK; i++) {
        p->tokens++;
        p->sum += run->loss[i];
        p->squares += run->loss[i] * run->loss[i];
    }
    return s;
}

double perplexity_value(const struct perplexity *p)
{
    const double mean = p->sum / (double)p->tokens;
    return mean < 700 ? elementary_exp(mean) : mean >= 700 ? INFINITY : NAN;
}

double perplexity_error(const struct perplexity *p)
{
    const double mean = p->sum / (double)p->tokens, variance = p->squares / (double)p->tokens - mean * mean;
    return p->tokens > 1 ? perplexity_value(p) * sqrt(fmax(variance, 0) / (double)(p->tokens - 1)) : NAN;
}
