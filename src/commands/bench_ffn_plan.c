/* bench_ffn_plan.c - see bench_ffn_plan.h. */
#include "bench_ffn_plan.h"

#include <stdlib.h>
#include <string.h>

#include "../base/memory.h"
#include "../base/threads.h"
#include "../bench/products.h"
#include "../bench/synthetic.h"
#include "bench_choices.h"
#include "bench_ffn_archive.h"
#include "bench_ffn_inputs.h"

#define MOST_ROWS 65536
/* Rows whose outputs tell how far off fewer neurons are. */
#define SYNTHETIC_ROWS 8
#define MODEL_ROWS 256

static enum status read_choices(struct bench_ffn_plan *p, struct error *e)
{
    const struct bench_ffn_options *o = p->options;
    struct bench_lists_numbers precisions = {.count = 0};
    enum status s = bench_lists_read_numbers(&p->batch, "batch", o->batch, MOST_ROWS, e);
    if (s == STATUS_OK)
        s = bench_lists_read_numbers(&p->shares, "shares", o->shares, 100, e);
    if (s == STATUS_OK)
        s = bench_choices_precisions(&precisions, o->precision, e);
    if (s == STATUS_OK && precisions.count != 1)
        s = error_set(e, STATUS_USAGE, "--precision '%s' is more than one", o->precision);
    if (s != STATUS_OK)
        return error_advice(e, "see '%s --help'", bench_ffn_options.command);
    p->mode = (enum kernels_mode)precisions.value[0];
    p->timing = timing_plan();
    p->timing.rounds = (size_t)o->iterations;
    p->timing.warmup = (size_t)o->warmup;
    p->timing.seconds = o->seconds;
    for (size_t i = 0; i < p->batch.count; i++)
        p->most_rows = p->batch.value[i] > p->most_rows ? p->batch.value[i] : p->most_rows;
    threads_set(o->threads ? (int)o->threads : threads_available());
    return kernels_select(getenv("PHI3SAT_KERNELS"), &p->kernels, e);
}

/* Half of them, rounded up. */
static size_t half(size_t neurons)
{
    return (neurons + 1) / 2;
}

static enum status open_arrays(struct bench_ffn_plan *p, struct error *e)
{
    enum status s = memory_array(&p->whole, p->layers, sizeof *p->whole, "layers", e);
    if (s == STATUS_OK)
        s = memory_array(&p->reduced, p->layers, sizeof *p->reduced, "layers", e);
    if (s == STATUS_OK)
        s = memory_array(&p->x, p->layers, sizeof *p->x, "layers", e);
    return s;
}

/* ---- synthetic ---- */

static enum status find_type(const char *name, const struct quants_format **format, struct error *e)
{
    struct bench_lists_numbers types = {.count = 0};
    const enum status s = bench_lists_read_names(&types, "type", name, bench_choices_find_type, "a weight type that phi3sat decodes", e);
    if (s == STATUS_OK && types.count == 1) {
        *format = quants_at(types.value[0]);
        return STATUS_OK;
    }
    if (s == STATUS_OK)
        error_set(e, STATUS_USAGE, "--type '%s' is more than one", name);
    return error_advice(e, "see '%s --help'", bench_ffn_options.command);
}

static enum status open_synthetic(struct bench_ffn_plan *p, struct error *e)
{
    const struct bench_ffn_options *o = p->options;
    const struct quants_format *format = NULL;
    p->layers = 1;
    p->depth = o->layers ? (size_t)o->layers : 32;
    p->checked = SYNTHETIC_ROWS;
    p->most_rows = p->most_rows > p->checked ? p->most_rows : p->checked;
    enum status s = find_type(o->type, &format, e);
    if (s == STATUS_OK)
        s = open_arrays(p, e);
    if (s == STATUS_OK)
        s = ffn_weights_synthetic(&p->whole[0], format, (size_t)o->hidden, (size_t)o->intermediate, o->seed, e);
    if (s != STATUS_OK)
        return s;
    ffn_weights_first(&p->reduced[0], &p->whole[0], half((size_t)o->intermediate));
    const struct synthetic_matrix gate = {.format = format, .outputs = (size_t)o->intermediate, .inputs = (size_t)o->hidden,
                                          .padded = p->whole->of.gate.inputs};
    return synthetic_rows(&gate, p->most_rows, o->seed, &p->x[0], e);
}

/* ---- a model's own ---- */

static enum status read_layer(struct bench_ffn_plan *p, struct error *e)
{
    const char *text = p->options->layer;
    char *end;
    p->layers = 1;
    if (strcmp(text, "all") == 0) {
        p->layers = p->config.layers;
        return STATUS_OK;
    }
    const unsigned long long layer = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || layer >= p->config.layers) {
        error_set(e, STATUS_USAGE, "--layer '%s' is no layer of this model", text);
        return error_advice(e, "give one from 0 to %zu, or all", p->config.layers - 1);
    }
    p->first = (size_t)layer;
    return STATUS_OK;
}

/* The benchmark reads rows where they lie. */
static enum status refuse_swapped(const struct bench_ffn_plan *p, struct error *e)
{
    if (!p->weights.layer[p->first].gate.tensor->swapped)
        return STATUS_OK;
    error_set(e, STATUS_INPUT, "is big-endian, and this benchmark times little-endian weights only");
    error_advice(e, "profile and the other commands read it; convert it for this one");
    return error_file(e, p->options->model);
}

static enum status open_file(struct bench_ffn_plan *p, struct error *e)
{
    enum status s = model_file_open(&p->file, p->options->model, e);
    if (s == STATUS_OK)
        s = config_read(&p->config, p->file, e);
    if (s == STATUS_OK)
        s = read_layer(p, e);
    if (s == STATUS_OK)
        s = weights_find(&p->weights, &p->config, p->file, e);
    if (s == STATUS_OK)
        s = refuse_swapped(p, e);
    return s == STATUS_OK ? weights_layers(&p->weights, &p->config, 0, p->first + p->layers, e) : s;
}

static enum status reduce(struct bench_ffn_plan *p, size_t i, struct error *e)
{
    const size_t kept = half(p->config.intermediate);
    if (p->order)
        return ffn_weights_chosen(&p->reduced[i], &p->whole[i], p->order[i], kept, e);
    ffn_weights_first(&p->reduced[i], &p->whole[i], kept);
    return STATUS_OK;
}

static enum status open_model(struct bench_ffn_plan *p, struct error *e)
{
    enum status s = open_file(p, e);
    if (s == STATUS_OK)
        s = open_arrays(p, e);
    for (size_t i = 0; i < p->layers && s == STATUS_OK; i++)
        ffn_weights_layer(&p->whole[i], &p->weights.layer[p->first + i]);
    p->depth = p->options->layers ? (size_t)p->options->layers : p->config.layers;
    if (s == STATUS_OK && p->options->archive)
        s = bench_ffn_archive_read(p, e);
    for (size_t i = 0; i < p->layers && s == STATUS_OK; i++)
        s = reduce(p, i, e);
    p->checked = MODEL_ROWS;
    p->most_rows = p->most_rows > p->checked ? p->most_rows : p->checked;
    return s == STATUS_OK ? bench_ffn_inputs_make(p, e) : s;
}

enum status bench_ffn_plan_open(struct bench_ffn_plan *p, const struct bench_ffn_options *o, struct error *e)
{
    *p = (struct bench_ffn_plan){.options = o};
    const enum status s = read_choices(p, e);
    if (s != STATUS_OK)
        return s;
    return o->model ? open_model(p, e) : open_synthetic(p, e);
}

void bench_ffn_plan_close(struct bench_ffn_plan *p)
{
    for (size_t i = 0; i < p->layers; i++) {
        if (p->whole)
            ffn_weights_close(&p->whole[i]);
        if (p->reduced)
            ffn_weights_close(&p->reduced[i]);
        if (p->x)
            memory_free(p->x[i]);
        if (p->order)
            memory_free(p->order[i]);
        if (p->active)
            memory_free(p->active[i]);
    }
    void *const blocks[] = {p->whole, p->reduced, p->x, p->order, p->active, p->active_count, p->saturated};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        memory_free(blocks[i]);
    weights_free(&p->weights);
    model_file_close(p->file);
}
