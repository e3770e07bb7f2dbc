/* sample.c - invents a profile; see sample.h. */
#include "sample.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define PROMPTS 5
#define SAMPLES 12
#define SUPER_NEURON 1
#define SILENT_NEURON 2

static void must(enum status status, const struct error *e)
{
    char line[2048];
    if (status == STATUS_OK)
        return;
    error_format(e, line, sizeof line);
    fprintf(stderr, "sample: %s\n", line);
    exit(99);
}

static uint64_t next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* One value, in [-scale, scale). */
static float value(uint64_t *state, float scale)
{
    return scale * ((float)(int64_t)(next(state) >> 40) / (float)(1 << 23) - 1.0f);
}

static void add_value(struct sums *sums, int lane, float x, int position)
{
    double power = 1.0;
    if (!(fabsf(x) < SUMS_LIMIT)) {
        if (sums->nonfinite[lane]++ == 0)
            sums->nonfinite_position[lane] = position;
        return;
    }
    for (int k = 0; k < 4; k++)
        sums->high[k][lane] += power *= (double)x;
    sums->min[lane] = fminf(sums->min[lane], x);
    sums->max[lane] = fmaxf(sums->max[lane], x);
    if (fabsf(x) > fabsf(sums->extreme[lane])) {
        sums->extreme[lane] = x;
        sums->extreme_position[lane] = position;
    }
    sums->low_activity[lane] += fabsf(x) < 0.1f;
    sums->inactive[lane] += x < 0.1f;
}

static void fill_sums(struct sums *sums, size_t block, size_t neurons, int layer, int series, uint64_t *state)
{
    sums_start(sums);
    for (int lane = 0; lane < SUMS_LANES && block * SUMS_LANES + (size_t)lane < neurons; lane++) {
        size_t neuron = block * SUMS_LANES + (size_t)lane;
        float scale = neuron % 3 == 0 ? 0.05f : 2.0f;
        for (int i = 0; i < SAMPLES; i++) {
            float x = value(state, scale);
            if (neuron == SUPER_NEURON && layer == 0 && series == SERIES_FFN && i == 3)
                x = -1234.5f;
            if (neuron == SILENT_NEURON)
                x = i % 2 ? NAN : INFINITY;
            add_value(sums, lane, x, i);
        }
    }
}

static void offer_extremes(struct accumulator_layer *layer, const struct sums *sums, size_t block,
                           const uint64_t hash[2])
{
    for (int lane = 0; lane < SUMS_LANES; lane++) {
        if (sums->extreme_position[lane] < 0)
            continue;
        struct accumulator_extreme offer = {.hash = {hash[0], hash[1]}, .value = sums->extreme[lane],
                                            .neuron = (int32_t)(block * SUMS_LANES) + lane,
                                            .position = sums->extreme_position[lane]};
        accumulator_extreme_offer(layer, &offer);
    }
}

static void fold_prompt(struct sample *s, const uint64_t hash[2], uint64_t *state)
{
    struct sums sums;
    for (size_t layer = 0; layer < s->state.layers; layer++) {
        for (int series = 0; series < SERIES_COUNT; series++)
            for (size_t block = 0; block < s->state.blocks; block++) {
                fill_sums(&sums, block, s->state.neurons, (int)layer, series, state);
                accumulator_block_fold(accumulator_blocks(&s->state, layer, (enum series)series) + block, &sums,
                                       SAMPLES);
                if (series == SERIES_FFN)
                    offer_extremes(&s->state.layer[layer], &sums, block, hash);
            }
        accumulator_layer_fold(&s->state.layer[layer], SAMPLES);
    }
}

static void fill_facts(struct sample *s, size_t layers, size_t neurons)
{
    struct archive_facts *f = &s->facts;
    struct error e;
    memset(f, 0, sizeof *f);
    f->model_fingerprint[0] = 0x0123456789abcdef;
    f->model_fingerprint[1] = 0xfedcba9876543210;
    f->globals_fingerprint[0] = 7;
    must(memory_array(&f->layer_fingerprint, layers, sizeof *f->layer_fingerprint, "hashes", &e), &e);
    for (size_t l = 0; l < layers; l++)
        f->layer_fingerprint[l][0] = l + 1, f->layer_fingerprint[l][1] = ~(uint64_t)l;
    snprintf(f->architecture, sizeof f->architecture, "phi3");
    snprintf(f->rotary, sizeof f->rotary, "none");
    snprintf(f->precision, sizeof f->precision, "f32");
    f->layers = layers;
    f->intermediate_size = neurons;
    f->hidden_size = 3072, f->heads = f->kv_heads = 32, f->head_dimension = f->rotary_dimension = 96;
    f->vocabulary = 32064, f->context = f->context_used = 4096, f->window = 2047;
    f->rms_epsilon = 1e-5, f->rope_base = 10000.0;
    f->prompts = prompt_set_prompts(&s->prompts);
    f->tokens = prompt_set_tokens(&s->prompts);
    f->prompts_repeated = f->prompts - s->prompts.count;
    must(prompt_set_fingerprint(&s->prompts, f->prompts_fingerprint, &e), &e);
    f->criteria = criteria_defaults();
    struct archive_run run = {.program_version = "0.1.0", .build = "test", .started = "2026-12-02T06:38:22Z",
                              .command_line = "phi3sat --model 'Mod\xc3\xa8le \xff.gguf'", .hosts = "a b",
                              .merged_from = "", .ranks = 4, .threads = 2, .seconds = 1.5};
    s->run = run;
}

void sample_make(struct sample *s, size_t layers, size_t neurons, uint64_t seed)
{
    struct error e;
    uint64_t state = seed * 2654435761u + 88172645463325252u;
    memset(s, 0, sizeof *s);
    must(accumulator_init(&s->state, layers, neurons, &e), &e);
    must(memory_array(&s->metrics, layers, sizeof *s->metrics, "metrics", &e), &e);
    must(memory_array(&s->rows, layers, sizeof *s->rows, "rows", &e), &e);
    for (int p = 0; p < PROMPTS; p++) {
        struct prompt_set_entry entry = {{next(&state), next(&state)}, 1, SAMPLES, 0};
        fold_prompt(s, entry.hash, &state);
        must(prompt_set_add(&s->prompts, &entry, &e), &e);
        if (p == 0)
            must(prompt_set_add(&s->prompts, &entry, &e), &e);
    }
    prompt_set_sort(&s->prompts);
    fill_facts(s, layers, neurons);
    for (size_t l = 0; l < layers; l++) {
        must(metrics_init(&s->metrics[l], neurons, &e), &e);
        metrics_compute(&s->metrics[l], &s->state, l);
        must(criteria_apply(&s->facts.criteria, &s->metrics[l], &e), &e);
        summary_of_layer(&s->rows[l], &s->metrics[l]);
    }
}

void sample_free(struct sample *s)
{
    for (size_t l = 0; l < s->state.layers; l++)
        metrics_free(&s->metrics[l]);
    memory_free(s->metrics);
    memory_free(s->rows);
    memory_free(s->facts.layer_fingerprint);
    prompt_set_free(&s->prompts);
    accumulator_free(&s->state);
}

enum status sample_write(const struct sample *s, const char *path, bool backwards, struct error *e)
{
    struct archive_writer *w;
    size_t layers = s->state.layers;
    enum status status = archive_writer_open(&w, path, layers, s->state.neurons, e);
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < layers; i++) {
        size_t layer = backwards ? layers - 1 - i : i;
        struct archive_writer_layer_data data = {&s->metrics[layer], &s->rows[layer], {NULL}, &s->state.layer[layer]};
        for (int series = 0; series < SERIES_COUNT; series++)
            data.block[series] = accumulator_blocks(&s->state, layer, (enum series)series);
        status = archive_writer_layer(w, layer, &data, e);
        if (status != STATUS_OK) {
            archive_writer_abandon(w);
            return status;
        }
    }
    return archive_writer_finish(w, &s->facts, &s->run, &s->prompts, e);
}
