/* bench_ffn_lines.c - see bench_ffn_lines.h. */
#include "bench_ffn_lines.h"

#include <math.h>

#include "../base/threads.h"
#include "../bench/products.h"

static const struct figures_column columns[] = {
    {"batch", "Batch", FIGURES_COUNT, 5, 0},
    {"variant", NULL, FIGURES_TEXT, 0, 0},
    {"name", "Variant", FIGURES_TEXT, 20, 0},
    {"milliseconds", "ms", FIGURES_REAL, 8, 3},
    {"milliseconds_p10", "p10", FIGURES_REAL, 8, 3},
    {"milliseconds_p90", "p90", FIGURES_REAL, 8, 3},
    {"speedup", "Speedup", FIGURES_REAL, 7, 2},
    {"speedup_low", "from", FIGURES_REAL, 5, 2},
    {"speedup_high", "to", FIGURES_REAL, 5, 2},
    {"weight_megabytes", "MB", FIGURES_REAL, 6, 1},
    {"gigabytes_per_second", "GB/s", FIGURES_REAL, 5, 1},
    {"read_share", "of read", FIGURES_SHARE, 7, 1},
    {"gflops", "GFLOP/s", FIGURES_REAL, 7, 1},
    {"peak_share", "of peak", FIGURES_SHARE, 7, 1},
    {"flops_per_byte", "FLOP/B", FIGURES_REAL, 6, 1},
    {"kernel_error", "Kernel", FIGURES_SMALL, 7, 0},
    {"approximation_error", "Approx.", FIGURES_SMALL, 7, 0},
    {"error", NULL, FIGURES_SMALL, 0, 0},
    {"noise", NULL, FIGURES_REAL, 0, 0},
    {"verdict", NULL, FIGURES_TEXT, 0, 0},
    {"reason", NULL, FIGURES_TEXT, 0, 0},
    {"read_gigabytes_per_second", NULL, FIGURES_REAL, 0, 0},
    {"peak_gflops", NULL, FIGURES_REAL, 0, 0},
    {"milliseconds_least_rank", NULL, FIGURES_REAL, 0, 0},
    {"milliseconds_most_rank", NULL, FIGURES_REAL, 0, 0},
    {"samples", NULL, FIGURES_COUNT, 0, 0},
    {"type", NULL, FIGURES_TEXT, 0, 0},
    {"down_type", NULL, FIGURES_TEXT, 0, 0},
    {"hidden", NULL, FIGURES_COUNT, 0, 0},
    {"intermediate", NULL, FIGURES_COUNT, 0, 0},
    {"neurons", NULL, FIGURES_COUNT, 0, 0},
    {"layers", NULL, FIGURES_COUNT, 0, 0},
    {"precision", NULL, FIGURES_TEXT, 0, 0},
    {"computed", NULL, FIGURES_TEXT, 0, 0},
    {"repacked", NULL, FIGURES_COUNT, 0, 0},
    {"kept_share", NULL, FIGURES_REAL, 0, 0},
    {"threads", NULL, FIGURES_COUNT, 0, 0},
    {"ranks", NULL, FIGURES_COUNT, 0, 0},
    {"kernels", NULL, FIGURES_TEXT, 0, 0},
};

void bench_ffn_lines_open(struct figures *f, const struct bench_ffn_options *o)
{
    if (o->csv)
        figures_open_csv(f, NULL, columns, sizeof columns / sizeof *columns);
    else
        figures_open(f, NULL, o->json, columns, sizeof columns / sizeof *columns);
}

enum status bench_ffn_lines_row(struct figures *f, const struct bench_ffn_plan *p, const struct bench_ffn_line *l, struct error *e)
{
    const double bytes_rate = l->bytes / l->seconds.median, rate = l->flops / l->seconds.median;
    const struct lone_ffn_weights *w = &p->whole->of;
    const struct figures_cell cells[] = {
        {.count = l->batch}, {.text = l->variant}, {.text = l->name}, {.real = 1e3 * l->seconds.median},
        {.real = 1e3 * l->seconds.low}, {.real = 1e3 * l->seconds.high}, {.real = l->speedup.median}, {.real = l->speedup.low},
        {.real = l->speedup.high}, {.real = 1e-6 * l->bytes}, {.real = 1e-9 * bytes_rate}, {.real = bytes_rate / l->read_peak},
        {.real = 1e-9 * rate}, {.real = rate / l->peak}, {.real = l->flops / l->bytes}, {.real = l->kernel_error},
        {.real = l->approximation}, {.real = l->error}, {.real = l->noise}, {.text = l->verdict}, {.text = l->reason},
        {.real = 1e-9 * l->read_peak}, {.real = 1e-9 * l->peak}, {.real = 1e3 * l->least}, {.real = 1e3 * l->most},
        {.count = l->seconds.count}, {.text = w->gate.format->name}, {.text = w->down.format->name}, {.count = p->whole->hidden},
        {.count = p->whole->intermediate}, {.count = l->neurons}, {.count = p->layers}, {.text = products_precisions()[p->mode]},
        {.text = products_precisions()[l->computed]}, {.count = l->repacked}, {.real = l->kept}, {.count = (uint64_t)threads_count()},
        {.count = l->ranks}, {.text = p->kernels->name}};
    _Static_assert(sizeof cells / sizeof *cells == sizeof columns / sizeof *columns, "a cell for each column");
    return figures_row(f, cells, e);
}

/* ---- kept shares ---- */

static const struct figures_column share_columns[] = {
    {"kept", "Kept", FIGURES_SHARE, 6, 0},      {"way", "Way", FIGURES_TEXT, 9, 0},
    {"size", "Size", FIGURES_COUNT, 6, 0},      {"weight_megabytes", "MB", FIGURES_REAL, 7, 1},
    {"milliseconds", "ms", FIGURES_REAL, 8, 3}, {"speedup", "Speedup", FIGURES_REAL, 7, 2},
    {"speedup_low", "from", FIGURES_REAL, 5, 2}, {"speedup_high", "to", FIGURES_REAL, 5, 2},
    {"approximation_error", "Off", FIGURES_SHARE, 7, 2},
};

static enum status share_line(struct figures *f, const struct bench_ffn_plan *p, const struct bench_ffn_share *x, struct error *e)
{
    char name[64];
    snprintf(name, sizeof name, "layer %zu, %.0f%% %s", p->first + x->layer, 100 * x->wanted, bench_ffn_way_names[x->way]);
    const struct bench_ffn_line line = {
        .batch = p->batch.value[0], .variant = bench_ffn_way_names[x->way], .name = name, .verdict = "-",
        .reason = x->way == BENCH_FFN_SVD ? "neurons has the rank of gate and up" : "a part of the neurons", .seconds = x->seconds,
        .speedup = x->speedup, .least = x->seconds.median, .most = x->seconds.median, .bytes = x->bytes, .flops = x->flops,
        .read_peak = NAN, .peak = NAN, .kernel_error = NAN, .approximation = x->off, .error = NAN, .noise = NAN, .kept = x->wanted,
        .neurons = x->size, .ranks = 1, .computed = p->mode, .repacked = p->batch.value[0] <= LAYER_FFN_FEW_ROWS};
    return bench_ffn_lines_row(f, p, &line, e);
}

static enum status share_row(struct figures *f, const struct bench_ffn_share *x, struct error *e)
{
    const struct figures_cell cells[] = {
        {.real = x->wanted}, {.text = bench_ffn_way_names[x->way]}, {.count = x->size}, {.real = 1e-6 * x->bytes},
        {.real = 1e3 * x->seconds.median}, {.real = x->speedup.median}, {.real = x->speedup.low}, {.real = x->speedup.high},
        {.real = x->off}};
    _Static_assert(sizeof cells / sizeof *cells == sizeof share_columns / sizeof *share_columns, "a cell for each column");
    return figures_row(f, cells, e);
}

static void say_advice(struct figures *f, const struct bench_ffn_plan *p, const struct bench_ffn_shares *shares)
{
    if (!shares->svd)
        figures_note(f, "\nNo singular value decompositions: %s.", shares->no_svd);
    if (p->saturated && p->layers == 1)
        figures_note(f, "\nThe archive calls %.1f %% of this layer's neurons saturated.", 100 * (double)p->saturated[0]);
    for (size_t i = 0; i < shares->count; i++) {
        const struct bench_ffn_share *x = &shares->of[i];
        if (x->way == BENCH_FFN_ACTIVE && p->layers > 1)
            figures_note(f, "The archive calls %.1f %% of layer %zu's neurons saturated.", 100 * (double)p->saturated[x->layer],
                         p->first + x->layer);
        if (x->way == BENCH_FFN_ACTIVE)
            figures_note(f, "That is more than 30 %%: try a sparse variant. Without them the layer takes %.3f ms, %.2fx as fast, "
                            "and its output is %.2f %% off.",
                         1e3 * x->seconds.median, x->speedup.median, 100 * x->off);
    }
}

enum status bench_ffn_lines_shares(struct figures *f, const struct bench_ffn_plan *p, const struct bench_ffn_shares *shares,
                                   struct error *e)
{
    enum status s = STATUS_OK;
    struct figures table;
    if (f->json || f->csv) {
        for (size_t i = 0; i < shares->count && s == STATUS_OK; i++)
            s = share_line(f, p, &shares->of[i], e);
        return s;
    }
    if (p->layers > 1) {
        say_advice(f, p, shares);
        return s;
    }
    figures_open(&table, f->to, false, share_columns, sizeof share_columns / sizeof *share_columns);
    figures_note(&table, "\nFewer neurons (first; most important by the archive) or thinner matrices (svd: size is the rank), %zu token%s at a "
                         "time;\nOff: the output's relative L2 distance to the whole layer's over %zu real inputs, in f32",
                 p->batch.value[0], p->batch.value[0] == 1 ? "" : "s", p->checked);
    for (size_t i = 0; i < shares->count && s == STATUS_OK; i++)
        s = share_row(&table, &shares->of[i], e);
    if (s == STATUS_OK)
        say_advice(&table, p, shares);
    return s;
}
