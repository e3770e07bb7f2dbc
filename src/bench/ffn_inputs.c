/* ffn_inputs.c - see ffn_inputs.h.
 *
 * A forward pass leaves the residual stream as its last layer's FFN finds it. So a model that is said to end with
 * the layer in question gives that layer's input; the true model then takes the stream on to the next.
 */
#include "ffn_inputs.h"

#include <string.h>

#include "../base/memory.h"

#define BATCH_TOKENS 256

struct passage {
    const struct ffn_inputs_model *model;
    const struct forward_prompt *prompts;
    size_t count, rows;
};

static void ignore(void *context, size_t layer, enum series series, size_t block, size_t prompt, const struct sums *sums,
                   uint64_t samples)
{
    (void)context, (void)layer, (void)series, (void)block, (void)prompt, (void)sums, (void)samples;
}

/* Takes `hidden` through layers [first, first + count) of a model of `layers`. */
static enum status pass(const struct passage *p, size_t first, size_t count, size_t layers, float *hidden, struct error *e)
{
    const struct forward_observer observer = {.sums = ignore};
    const struct forward_options o = {.batch_tokens = BATCH_TOKENS, .window = p->model->config->window, .mode = KERNELS_F32,
                                      .first_layer = first, .layers = count};
    struct config config = *p->model->config;
    struct forward *forward;
    config.layers = layers;
    enum status s = forward_open(&forward, &config, p->model->weights, p->model->kernels, &o, e);
    if (s == STATUS_OK)
        s = forward_run_stage(forward, p->prompts, p->count, hidden, &observer, e);
    forward_close(forward);
    return s;
}

static enum status input_of(const struct passage *p, size_t layer, float *hidden, float *next, struct error *e)
{
    const struct config *c = p->model->config;
    memcpy(next, hidden, p->rows * c->hidden * sizeof *next);
    const enum status s = pass(p, layer, 1, layer + 1, next, e);
    if (s == STATUS_OK)
        p->model->kernels->rms_norm(p->rows, c->hidden, next, c->hidden, p->model->weights->layer[layer].ffn_norm.values, c->epsilon,
                                    next, c->hidden);
    return s;
}

enum status ffn_inputs(const struct ffn_inputs_model *model, const struct forward_prompt *prompts, size_t prompt_count, size_t first,
                       size_t count, float **x, struct error *e)
{
    struct passage p = {model, prompts, prompt_count, 0};
    float *hidden = NULL;
    for (size_t i = 0; i < prompt_count; i++)
        p.rows += prompts[i].length;
    enum status s = memory_array(&hidden, p.rows, model->config->hidden * sizeof *hidden, "hidden states", e);
    for (size_t i = 0; i < count; i++)
        x[i] = NULL;
    if (s == STATUS_OK && first > 0)
        s = pass(&p, 0, first, model->config->layers, hidden, e);
    for (size_t i = 0; i < count && s == STATUS_OK; i++) {
        s = memory_array(&x[i], p.rows, model->config->hidden * sizeof **x, "an FFN's inputs", e);
        if (s == STATUS_OK)
            s = input_of(&p, first + i, hidden, x[i], e);
        if (s == STATUS_OK && i + 1 < count)
            s = pass(&p, first + i, 1, model->config->layers, hidden, e);
    }
    memory_free(hidden);
    return s;
}
