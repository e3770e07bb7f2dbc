/* bench_ffn_shares.c - see bench_ffn_shares.h.
 *
 * One candidate at a time takes turns with the whole layer: fifteen at once would not leave each other the memory that a real
 * layer has, and the whole layer's own time is needed in each round anyway.
 */
#include "bench_ffn_shares.h"

#include <math.h>
#include <string.h>

#include "../base/log.h"
#include "../base/memory.h"
#include "../bench/factored_ffn.h"
#include "../bench/ffn_reference.h"
#include "../bench/lapack.h"
#include "../bench/roof.h"

const char *const bench_ffn_way_names[BENCH_FFN_WAYS] = {"first", "important", "svd", "active"};

#define ADVICE_SHARE 0.3f /* of saturated neurons, from which on a sparse FFN is worth a try */
/* A dozen candidates share the time that a batch size has, and a bit. */
#define CANDIDATE_TIME 0.15

struct study {
    const struct bench_ffn_plan *p;
    size_t layer;                         /* of the plan's                                      */
    struct bench_ffn_shares *shares;
    size_t few, many;                     /* of the first batch size, one of them 0               */
    struct low_rank_spectrum spectrum[3];
    struct layer_ffn *whole;              /* timed                                              */
    float *output;                        /* [checked, hidden] of the whole layer, f32            */
    struct timing_subject *subjects;      /* whole, candidate                                   */
    double *scratch;
};

static size_t copies_for(double bytes)
{
    const double copies = ceil((double)roof_beyond_cache() / bytes);
    return copies > 1 ? (size_t)copies : 1;
}

static enum status open_layer(const struct study *t, const struct ffn_weights *w, enum kernels_mode mode, size_t few, size_t many,
                              struct layer_ffn **ffn, struct error *e)
{
    const struct layer_ffn_case c = {.layer = &w->of, .layers = 1, .copies = few ? copies_for(lone_ffn_bytes(&w->of)) : 1, .kernels = t->p->kernels,
                                     .mode = mode, .few = few, .many = many};
    return layer_ffn_open(ffn, &c, e);
}

/* Outputs of the checked inputs in f32 from these weights. */
static enum status output_of(const struct study *t, const struct ffn_weights *w, float *to, struct error *e)
{
    const struct bench_ffn_plan *p = t->p;
    struct layer_ffn *ffn = NULL;
    const enum status s = open_layer(t, w, KERNELS_F32, 0, p->checked, &ffn, e);
    if (s == STATUS_OK) {
        layer_ffn_input(ffn, p->checked, p->x[t->layer]);
        layer_ffn_run(ffn);
        memcpy(to, layer_ffn_output(ffn), p->checked * w->hidden * sizeof *to);
    }
    layer_ffn_close(ffn);
    return s;
}

static void time_candidate(struct study *t, void (*run)(void *context), void *context, struct bench_ffn_share *share)
{
    struct timing_plan timing = t->p->timing;
    timing.seconds *= CANDIDATE_TIME;
    layer_ffn_input(t->whole, t->p->batch.value[0], t->p->x[t->layer]);
    t->subjects[0].run = layer_ffn_run;
    t->subjects[0].context = t->whole;
    t->subjects[1].run = run;
    t->subjects[1].context = context;
    timing_alternate(&timing, (struct timing_subject *[]){&t->subjects[0], &t->subjects[1]}, 2);
    share->speedup = timing_ratio(t->subjects[0].seconds, t->subjects[1].seconds, t->subjects[0].count, t->scratch);
    share->seconds = timing_spread(t->subjects[1].seconds, t->subjects[1].count);
}

static enum status measure_neurons(struct study *t, const struct ffn_weights *w, struct bench_ffn_share *share, struct error *e)
{
    const struct bench_ffn_plan *p = t->p;
    struct layer_ffn *ffn = NULL;
    float *y = NULL;
    enum status s = memory_array(&y, p->checked, w->hidden * sizeof *y, "outputs", e);
    if (s == STATUS_OK)
        s = output_of(t, w, y, e);
    if (s == STATUS_OK)
        s = open_layer(t, w, p->mode, t->few, t->many, &ffn, e);
    if (s == STATUS_OK) {
        share->off = ffn_reference_distance(y, t->output, p->checked * w->hidden);
        layer_ffn_input(ffn, p->batch.value[0], p->x[t->layer]);
        share->bytes = lone_ffn_bytes(&w->of);
        share->flops = layer_ffn_flops(ffn);
        time_candidate(t, layer_ffn_run, ffn, share);
    }
    layer_ffn_close(ffn);
    memory_free(y);
    return s;
}

/* The factors' own f32 outputs, then their time in the run's precision. */
static enum status measure_factors(struct study *t, struct bench_ffn_share *share, struct error *e)
{
    const struct bench_ffn_plan *p = t->p;
    struct factored_ffn *f = NULL;
    enum status s = factored_ffn_open(&f, t->spectrum, share->wanted, p->kernels, KERNELS_F32, 0, p->checked, 1, e);
    if (s == STATUS_OK) {
        factored_ffn_input(f, p->checked, p->x[t->layer]);
        factored_ffn_run(f);
        share->off = ffn_reference_distance(factored_ffn_output(f), t->output, p->checked * p->whole->hidden);
        share->bytes = factored_ffn_bytes(f);
    }
    factored_ffn_close(f);
    f = NULL;
    if (s == STATUS_OK)
        s = factored_ffn_open(&f, t->spectrum, share->wanted, p->kernels, p->mode, t->few, t->many, copies_for(share->bytes), e);
    if (s == STATUS_OK) {
        factored_ffn_input(f, p->batch.value[0], p->x[t->layer]);
        share->flops = factored_ffn_flops(f);
        share->size = factored_ffn_rank(f);
        time_candidate(t, factored_ffn_run, f, share);
    }
    factored_ffn_close(f);
    return s;
}

static enum status measure_one(struct study *t, enum bench_ffn_way way, double wanted, struct error *e)
{
    const struct bench_ffn_plan *p = t->p;
    struct bench_ffn_share *share = &t->shares->of[t->shares->count];
    struct ffn_weights w = {.intermediate = 0};
    enum status s = STATUS_OK;
    *share = (struct bench_ffn_share){.layer = t->layer, .way = way, .wanted = wanted};
    log_phase("measuring %.0f %% (%s)", 100 * wanted, bench_ffn_way_names[way]);
    if (way == BENCH_FFN_SVD)
        s = measure_factors(t, share, e);
    else {
        size_t kept = way == BENCH_FFN_ACTIVE ? p->active_count[t->layer] : (size_t)(wanted * (double)p->config.intermediate + 0.5);
        share->size = kept = kept > 0 ? kept : 1;
        if (way == BENCH_FFN_FIRST || kept == p->config.intermediate)
            ffn_weights_first(&w, &p->whole[t->layer], kept);
        else
            s = ffn_weights_chosen(&w, &p->whole[t->layer], way == BENCH_FFN_ACTIVE ? p->active[t->layer] : p->order[t->layer], kept, e);
        if (s == STATUS_OK)
            s = measure_neurons(t, &w, share, e);
        ffn_weights_close(&w);
    }
    t->shares->count += s == STATUS_OK;
    return s;
}

/* Where there is no LAPACK, the others are measured all the same. */
static enum status open_spectra(struct study *t, struct error *e)
{
    const struct lone_ffn_weights *w = &t->p->whole->of;
    const struct lone_product_matrix *const matrix[] = {&w->gate, &w->up, &w->down};
    struct error none;
    enum status s = STATUS_OK;
    error_clear(&none);
    t->shares->svd = lapack_load(&none) == STATUS_OK;
    if (!t->shares->svd)
        snprintf(t->shares->no_svd, sizeof t->shares->no_svd, "%.200s", none.sentence);
    for (int i = 0; i < 3 && t->shares->svd && s == STATUS_OK; i++) {
        log_phase("decomposing matrix %d of 3", i + 1);
        s = low_rank_spectrum_open(&t->spectrum[i], matrix[i], e);
    }
    return s;
}

static enum status open_study(struct study *t, struct error *e)
{
    const struct bench_ffn_plan *p = t->p;
    const size_t rows = p->batch.value[0];
    t->few = rows <= LAYER_FFN_FEW_ROWS ? rows : 0;
    t->many = t->few ? 0 : rows;
    enum status s = memory_array(&t->output, p->checked, p->whole->hidden * sizeof *t->output, "outputs", e);
    if (s == STATUS_OK)
        s = memory_array(&t->subjects, 2, sizeof *t->subjects, "a benchmark's samples", e);
    if (s == STATUS_OK)
        s = memory_array(&t->scratch, TIMING_MOST, sizeof *t->scratch, "a benchmark's samples", e);
    if (s == STATUS_OK)
        s = output_of(t, &p->whole[t->layer], t->output, e);
    return s == STATUS_OK ? open_layer(t, &p->whole[t->layer], p->mode, t->few, t->many, &t->whole, e) : s;
}

static void close_study(struct study *t)
{
    for (int i = 0; i < 3; i++)
        low_rank_spectrum_close(&t->spectrum[i]);
    layer_ffn_close(t->whole);
    memory_free(t->output);
    memory_free(t->subjects);
    memory_free(t->scratch);
}

static enum status measure_shares(struct study *t, struct error *e)
{
    const struct bench_ffn_plan *p = t->p;
    enum status s = open_spectra(t, e);
    for (size_t i = 0; i < p->shares.count && s == STATUS_OK; i++) {
        const double wanted = 0.01 * (double)p->shares.value[i];
        s = measure_one(t, BENCH_FFN_FIRST, wanted, e);
        if (s == STATUS_OK && p->order)
            s = measure_one(t, BENCH_FFN_IMPORTANT, wanted, e);
        if (s == STATUS_OK && t->shares->svd)
            s = measure_one(t, BENCH_FFN_SVD, wanted, e);
    }
    return s;
}

enum status bench_ffn_shares_measure(struct bench_ffn_shares *shares, const struct bench_ffn_plan *p, struct error *e)
{
    *shares = (struct bench_ffn_shares){.svd = true};
    enum status s = memory_array(&shares->of, p->shares.count * BENCH_FFN_WAYS + p->layers, sizeof *shares->of, "shares", e);
    for (size_t i = 0; i < p->layers && s == STATUS_OK; i++) {
        struct study t = {.p = p, .layer = i, .shares = shares};
        const bool advise = p->saturated && p->saturated[i] > ADVICE_SHARE;
        if (p->layers > 1 && !advise)
            continue;
        s = open_study(&t, e);
        if (s == STATUS_OK && p->layers == 1)
            s = measure_shares(&t, e);
        if (s == STATUS_OK && advise)
            s = measure_one(&t, BENCH_FFN_ACTIVE, (double)p->active_count[i] / (double)p->config.intermediate, e);
        close_study(&t);
    }
    return s;
}
