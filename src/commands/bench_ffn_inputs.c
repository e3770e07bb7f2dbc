/* bench_ffn_inputs.c - see bench_ffn_inputs.h. */
#include "bench_ffn_inputs.h"

#include <string.h>

#include "../base/memory.h"
#include "../base/random.h"
#include "../bench/ffn_inputs.h"
#include "../text/prompt_maker.h"
#include "../text/token_list.h"

#define MOST_PROMPTS 64
#define RANDOM_LENGTH 64

struct prompts {
    struct token_list ids;                       /* of all prompts                          */
    struct forward_prompt prompt[MOST_PROMPTS];  /* ids: set when the list grows no more      */
    size_t count;
};

static size_t context_of(const struct bench_ffn_plan *p)
{
    return p->config.context < p->checked ? p->config.context : p->checked;
}

/* Cuts the last prompt where the rows are full. */
static void end_prompt(struct prompts *t, size_t before, size_t rows)
{
    t->ids.count = t->ids.count < rows ? t->ids.count : rows;
    t->prompt[t->count++].length = t->ids.count - before;
}

static enum status make_texts(struct prompts *t, const struct bench_ffn_plan *p, struct error *e)
{
    struct tokenizer *tokenizer = NULL;
    struct prompt_maker *maker = NULL;
    enum status s = tokenizer_open(&tokenizer, p->file, e);
    if (s == STATUS_OK)
        s = prompt_maker_open(&maker, tokenizer, context_of(p), p->options->seed, e);
    while (s == STATUS_OK && t->ids.count < p->checked && t->count < MOST_PROMPTS) {
        struct prompt_maker_prompt one;
        const size_t before = t->ids.count;
        s = prompt_maker_next(maker, &one, e);
        if (s == STATUS_OK)
            s = tokenizer_encode(tokenizer, one.text, one.length, TOKENIZER_ADD_SPECIAL, &t->ids, NULL, e);
        if (s == STATUS_OK)
            end_prompt(t, before, p->checked);
    }
    prompt_maker_close(maker);
    tokenizer_close(tokenizer);
    return s;
}

static enum status make_random(struct prompts *t, const struct bench_ffn_plan *p, struct error *e)
{
    const size_t length = context_of(p) < RANDOM_LENGTH ? context_of(p) : RANDOM_LENGTH;
    enum status s = STATUS_OK;
    while (s == STATUS_OK && t->ids.count < p->checked && t->count < MOST_PROMPTS) {
        struct random_stream r = random_open(p->options->seed, 8, t->count, 0);
        const size_t before = t->ids.count;
        for (size_t i = 0; i < length && s == STATUS_OK; i++)
            s = token_list_add(&t->ids, (int32_t)random_below(&r, p->config.vocabulary), e);
        end_prompt(t, before, p->checked);
    }
    return s;
}

static void repeat_rows(struct bench_ffn_plan *p, size_t i, const float *rows)
{
    const size_t hidden = p->config.hidden;
    for (size_t r = 0; r < p->most_rows; r++)
        memcpy(p->x[i] + r * hidden, rows + r % p->checked * hidden, hidden * sizeof *rows);
}

static enum status run(struct bench_ffn_plan *p, const struct prompts *t, struct error *e)
{
    const struct ffn_inputs_model model = {&p->config, &p->weights, p->kernels};
    float **rows;
    enum status s = memory_array(&rows, p->layers, sizeof *rows, "layers", e);
    if (s != STATUS_OK)
        return s;
    s = ffn_inputs(&model, t->prompt, t->count, p->first, p->layers, rows, e);
    for (size_t i = 0; i < p->layers && s == STATUS_OK; i++) {
        s = memory_array(&p->x[i], p->most_rows, p->config.hidden * sizeof(float), "an FFN's inputs", e);
        if (s == STATUS_OK)
            repeat_rows(p, i, rows[i]);
    }
    for (size_t i = 0; i < p->layers; i++)
        memory_free(rows[i]);
    memory_free(rows);
    return s;
}

enum status bench_ffn_inputs_make(struct bench_ffn_plan *p, struct error *e)
{
    struct prompts t = {.count = 0};
    enum status s = tokenizer_present(p->file) ? make_texts(&t, p, e) : make_random(&t, p, e);
    if (s == STATUS_OK) {
        const int32_t *ids = t.ids.ids;
        for (size_t i = 0; i < t.count; ids += t.prompt[i++].length)
            t.prompt[i].ids = ids;
        p->checked = t.ids.count;
        s = run(p, &t, e);
    }
    token_list_free(&t.ids);
    return s;
}
