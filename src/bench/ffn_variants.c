/* ffn_variants.c - see ffn_variants.h. */
#include "ffn_variants.h"

#include <math.h>
#include <string.h>

#include "../base/memory.h"
#include "../base/threads.h"
#include "ffn_reference.h"
#include "roof.h"

/* Rows that are computed in float64 too, which takes a thread a second for about 500 million multiply-adds. */
#define REFERENCE_ROWS 4

enum { WHOLE, REDUCED, SIZES };
enum { AGAIN = FFN_VARIANTS, READING, LOOP, SUBJECTS };

struct ffn_variants {
    struct ffn_variants_plan plan;
    size_t few, many;                         /* rows of the largest batches of either kind          */
    struct lone_ffn_weights *of[SIZES];       /* [layers]                                           */
    struct layer_ffn *variant[FFN_VARIANTS];
    struct layer_ffn *profile[SIZES];               /* unfused, from weights as they stand in a file         */
    double approximation;                     /* of the reduced weights: the largest of the layers    */
    double **reference[SIZES];                /* [layers]: float64 outputs of the checked rows          */
    float *kept;                              /* an output to compare with                           */
    struct roof_memory memory;
    struct timing_subject *subjects;
    double *scratch;
};

static size_t size_of(enum ffn_variant variant)
{
    return variant == FFN_REDUCED || variant == FFN_BOTH ? REDUCED : WHOLE;
}

static enum status open_one(struct ffn_variants *v, struct layer_ffn **ffn, size_t size, bool fused, bool repack, enum kernels_mode mode,
                            struct error *e)
{
    const struct ffn_variants_plan *p = &v->plan;
    const double all = lone_ffn_bytes(v->of[size]) * (double)p->layers;
    const size_t most = v->few > v->many ? v->few : v->many, wanted = (size_t)ceil((double)roof_beyond_cache() / all);
    const struct layer_ffn_case c = {.layer = v->of[size], .layers = p->layers, .copies = repack && wanted > 1 ? wanted : 1,
                               .kernels = p->kernels, .mode = mode, .fused = fused, .few = repack ? v->few : 0,
                               .many = repack ? v->many : most > p->checked ? most : p->checked};
    return layer_ffn_open(ffn, &c, e);
}

static enum status open_sizes(struct ffn_variants *v, struct error *e)
{
    const struct ffn_weights *const from[SIZES] = {v->plan.whole, v->plan.reduced};
    enum status s = STATUS_OK;
    for (size_t size = 0; size < SIZES && s == STATUS_OK; size++) {
        s = memory_array(&v->of[size], v->plan.layers, sizeof *v->of[size], "layers", e);
        for (size_t i = 0; i < v->plan.layers && s == STATUS_OK; i++)
            v->of[size][i] = from[size][i].of;
        if (s == STATUS_OK)
            s = open_one(v, &v->profile[size], size, false, false, v->plan.mode, e);
        if (s == STATUS_OK)
            s = memory_array(&v->reference[size], v->plan.layers, sizeof *v->reference[size], "layers", e);
    }
    return s;
}

/* The output of one layer, the runs before it skipped. */
static const float *output_of(struct layer_ffn *ffn, size_t layer, size_t rows, const float *x)
{
    layer_ffn_input(ffn, rows, x);
    layer_ffn_select(ffn, layer);
    layer_ffn_run(ffn);
    return layer_ffn_output(ffn);
}

static double larger(double a, double b)
{
    return isnan(a) || a > b ? a : b;
}

/* Distance of the reduced layers' outputs to the whole ones', in f32 whatever is timed: the kernels' own error is another figure. */
static enum status find_approximation(struct ffn_variants *v, struct error *e)
{
    const struct ffn_variants_plan *p = &v->plan;
    const size_t count = p->checked * p->whole->of.down.outputs;
    struct layer_ffn *exact[SIZES] = {NULL, NULL};
    enum status s = STATUS_OK;
    for (size_t size = 0; size < SIZES && s == STATUS_OK; size++)
        s = open_one(v, &exact[size], size, false, false, KERNELS_F32, e);
    for (size_t i = 0; i < p->layers && s == STATUS_OK; i++) {
        memcpy(v->kept, output_of(exact[WHOLE], i, p->checked, p->x[i]), count * sizeof *v->kept);
        const float *y = output_of(exact[REDUCED], i, p->checked, p->x[i]);
        v->approximation = larger(ffn_reference_distance(y, v->kept, count), v->approximation);
    }
    layer_ffn_close(exact[WHOLE]);
    layer_ffn_close(exact[REDUCED]);
    return s;
}

enum status ffn_variants_open(struct ffn_variants **variants, const struct ffn_variants_plan *plan, struct error *e)
{
    struct ffn_variants *v;
    enum status s = memory_array(&v, 1, sizeof *v, "variants", e);
    *variants = NULL;
    if (s != STATUS_OK)
        return s;
    v->plan = *plan;
    for (size_t b = 0; b < plan->batches; b++) {
        size_t *most = plan->batch[b] <= LAYER_FFN_FEW_ROWS ? &v->few : &v->many;
        *most = plan->batch[b] > *most ? plan->batch[b] : *most;
        *most = *most > REFERENCE_ROWS ? *most : REFERENCE_ROWS;
    }
    const size_t rows = v->few > v->many ? v->few : v->many, outputs = plan->whole->of.down.outputs;
    s = open_sizes(v, e);
    for (int i = 0; i < (int)FFN_VARIANTS && s == STATUS_OK; i++)
        s = open_one(v, &v->variant[i], size_of((enum ffn_variant)i), i == FFN_FUSED || i == FFN_BOTH, true, plan->mode, e);
    if (s == STATUS_OK)
        s = roof_memory_open(&v->memory, plan->kernels, roof_beyond_cache(), e);
    if (s == STATUS_OK)
        s = memory_array(&v->kept, rows > plan->checked ? rows : plan->checked, outputs * sizeof *v->kept, "outputs", e);
    if (s == STATUS_OK)
        s = memory_array(&v->subjects, SUBJECTS, sizeof *v->subjects, "a benchmark's samples", e);
    if (s == STATUS_OK)
        s = memory_array(&v->scratch, TIMING_MOST, sizeof *v->scratch, "a benchmark's samples", e);
    if (s == STATUS_OK)
        s = find_approximation(v, e);
    if (s != STATUS_OK) {
        ffn_variants_close(v);
        return s;
    }
    *variants = v;
    return STATUS_OK;
}

void ffn_variants_close(struct ffn_variants *v)
{
    if (!v)
        return;
    for (int i = 0; i < (int)FFN_VARIANTS; i++)
        layer_ffn_close(v->variant[i]);
    for (int size = 0; size < SIZES; size++) {
        layer_ffn_close(v->profile[size]);
        for (size_t i = 0; v->reference[size] && i < v->plan.layers; i++)
            memory_free(v->reference[size][i]);
        memory_free(v->reference[size]);
        memory_free(v->of[size]);
    }
    roof_memory_close(&v->memory);
    memory_free(v->kept);
    memory_free(v->subjects);
    memory_free(v->scratch);
    memory_free(v);
}

static enum status find_errors(struct ffn_variants *v, enum ffn_variant variant, size_t rows, struct ffn_variants_result *r,
                               struct error *e)
{
    const struct ffn_variants_plan *p = &v->plan;
    const size_t size = size_of(variant), outputs = p->whole->of.down.outputs;
    const size_t few = rows < REFERENCE_ROWS ? rows : REFERENCE_ROWS;
    const struct ffn_weights *weights = size == WHOLE ? p->whole : p->reduced;
    enum status s = STATUS_OK;
    memcpy(v->kept, output_of(v->profile[size], 0, rows, p->x[0]), rows * outputs * sizeof *v->kept);
    r->error = ffn_reference_distance(output_of(v->variant[variant], 0, rows, p->x[0]), v->kept, rows * outputs);
    r->kernel_error = 0;
    r->approximation = size == WHOLE ? 0 : v->approximation;
    for (size_t i = 0; i < p->layers && s == STATUS_OK; i++) {
        if (!v->reference[size][i])
            s = ffn_reference(&weights[i], REFERENCE_ROWS, p->x[i], &v->reference[size][i], e);
        if (s != STATUS_OK)
            return s;
        const float *y = output_of(v->variant[variant], i, few, p->x[i]);
        r->kernel_error = larger(ffn_reference_error(y, v->reference[size][i], few * outputs), r->kernel_error);
    }
    return s;
}

static double peak_of(const struct timing_subject *s, double work)
{
    double samples[TIMING_MOST];
    memcpy(samples, s->seconds, s->count * sizeof *samples);
    return timing_rate(timing_spread(samples, s->count), work).median;
}

enum status ffn_variants_measure(struct ffn_variants *v, size_t b, struct ffn_variants_result result[FFN_VARIANTS], double *noise,
                                 struct error *e)
{
    const size_t rows = v->plan.batch[b];
    struct timing_subject *all[SUBJECTS], *const base = &v->subjects[FFN_BASELINE];
    enum status s = STATUS_OK;
    for (int i = 0; i < (int)FFN_VARIANTS && s == STATUS_OK; i++)
        s = find_errors(v, (enum ffn_variant)i, rows, &result[i], e);
    if (s != STATUS_OK)
        return s;
    for (int i = 0; i < SUBJECTS; i++)
        all[i] = &v->subjects[i];
    for (int i = 0; i <= AGAIN; i++) {
        struct layer_ffn *ffn = v->variant[i == AGAIN ? FFN_BASELINE : i];
        layer_ffn_input(ffn, rows, v->plan.x[0]);
        v->subjects[i].run = layer_ffn_run;
        v->subjects[i].context = ffn;
    }
    struct roof_run loop = {roof_loop(v->plan.kernels, roof_of_mode(layer_ffn_mode(v->variant[FFN_BASELINE])))};
    roof_memory_subject(&v->subjects[READING], &v->memory);
    roof_subject(&v->subjects[LOOP], &loop);
    timing_alternate(&v->plan.timing, all, SUBJECTS);
    const struct timing_ratio same = timing_ratio(base->seconds, v->subjects[AGAIN].seconds, base->count, v->scratch);
    *noise = fmax(same.high - 1, 1 - same.low);
    for (int i = 0; i < (int)FFN_VARIANTS; i++)
        result[i].speedup = timing_ratio(base->seconds, v->subjects[i].seconds, base->count, v->scratch);
    for (int i = 0; i < (int)FFN_VARIANTS; i++) { /* sorts the samples */
        struct ffn_variants_result *r = &result[i];
        r->seconds = timing_spread(v->subjects[i].seconds, v->subjects[i].count);
        r->bytes = layer_ffn_bytes(v->variant[i]);
        r->flops = layer_ffn_flops(v->variant[i]);
        r->read_peak = peak_of(&v->subjects[READING], roof_memory_work(&v->memory));
        r->peak = peak_of(&v->subjects[LOOP], roof_work(&loop, threads_count()));
        r->computed = layer_ffn_mode(v->variant[i]);
        r->repacked = layer_ffn_repacked(v->variant[i]);
    }
    return STATUS_OK;
}
