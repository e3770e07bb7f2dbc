/* bench_ffn_show.c - see bench_ffn_show.h. */
#include "bench_ffn_show.h"

#include <math.h>
#include <string.h>

#include "../base/threads.h"
#include "../bench/products.h"
#include "../report/box_table.h"
#include "../report/figures.h"
#include "bench_ffn_lines.h"

static const char *const keys[FFN_VARIANTS] = {"baseline", "fused", "low_rank", "fused_low_rank"};

/* "Q4K Baseline", "Q8_0 + Fused gate+up": the first tool wrote Q4K. */
static void name_variant(const struct bench_ffn_plan *p, enum ffn_variant v, char *name, size_t size)
{
    static const char *const rest[FFN_VARIANTS] = {" Baseline", " + Fused gate+up", " + 50% Low-rank", " + Fused + 50% LR"};
    const char *type = p->whole->of.gate.format->name;
    snprintf(name, size, "%s%s", strcmp(type, "Q4_K") == 0 ? "Q4K" : type, rest[v]);
}

/* ---- over ranks ---- */

static const struct ffn_variants_result *result_of(const struct bench_ffn_results *r, size_t rank, size_t b, int v)
{
    return &r->of[rank * r->plan->batch.count + b].variant[v];
}

enum figure { SECONDS, RATE, SPEEDUP, LOW, HIGH, FIRST_TENTH, LAST_TENTH, ERROR, KERNEL_ERROR, APPROXIMATION, READ_PEAK, PEAK };

/* What the noise of the machine may make of a speedup is in its interval. */
static double figure_of(const struct bench_ffn_batch *batch, int v, enum figure figure)
{
    const struct ffn_variants_result *x = &batch->variant[v];
    const double noise = v == FFN_BASELINE ? 0 : batch->noise;
    const double values[] = {x->seconds.median, x->flops / x->seconds.median, x->speedup.median,
                             x->speedup.low / (1 + noise), x->speedup.high * (1 + noise), x->seconds.low,
                             x->seconds.high, x->error, x->kernel_error, x->approximation, x->read_peak, x->peak};
    return values[figure];
}

/* NaN where a rank has none. */
static struct timing_range over(const struct bench_ffn_results *r, size_t b, int v, enum figure figure)
{
    double *values = r->scratch;
    for (size_t rank = 0; rank < r->ranks; rank++)
        values[rank] = figure_of(&r->of[rank * r->plan->batch.count + b], v, figure);
    return timing_range(values, r->ranks);
}

enum verdict bench_ffn_verdict(const struct bench_ffn_results *r, size_t b, enum ffn_variant variant, char *reason, size_t size)
{
    const struct verdict_case c = {.speedup = over(r, b, variant, SPEEDUP).median, .low = over(r, b, variant, LOW).least,
                                   .high = over(r, b, variant, HIGH).most, .error = over(r, b, variant, ERROR).most,
                                   .real = r->plan->file != NULL, .approximation = variant == FFN_REDUCED || variant == FFN_BOTH,
                                   .off = over(r, b, variant, APPROXIMATION).most};
    return verdict_of(&c, reason, size);
}

/* ---- the first table ---- */

static const char *mark(double error)
{
    return error < 1e-6 ? "+" : error <= 1e-5 ? "~" : "!";
}

static void first_row(const struct bench_ffn_results *r, int v, struct box_table_row *row)
{
    const double error = over(r, 0, v, ERROR).most;
    name_variant(r->plan, (enum ffn_variant)v, row->cell[0], BOX_TABLE_CELL);
    snprintf(row->cell[1], BOX_TABLE_CELL, "%.3f", 1e3 * over(r, 0, v, SECONDS).median);
    snprintf(row->cell[2], BOX_TABLE_CELL, "%.1f", 1e-9 * over(r, 0, v, RATE).median);
    snprintf(row->cell[3], BOX_TABLE_CELL, "%.2fx", over(r, 0, v, SPEEDUP).median);
    if (v == FFN_BASELINE)
        snprintf(row->cell[4], BOX_TABLE_CELL, "0.0 (ref)");
    else if (error == 0)
        snprintf(row->cell[4], BOX_TABLE_CELL, "0.0 %s", mark(error));
    else
        snprintf(row->cell[4], BOX_TABLE_CELL, "%.1e %s", error, mark(error));
}

static void say_what(struct figures *f, const struct bench_ffn_results *r)
{
    const struct bench_ffn_plan *p = r->plan;
    char what[200];
    if (!p->file)
        snprintf(what, sizeof what, "synthetic weights, seed %llu", (unsigned long long)p->options->seed);
    else if (p->layers > 1)
        snprintf(what, sizeof what, "%.150s, layers 0 to %zu", p->options->model, p->layers - 1);
    else
        snprintf(what, sizeof what, "%.150s, layer %zu", p->options->model, p->first);
    figures_note(f, "FFN of %s: hidden size %zu, intermediate size %zu, %s (down %s)", what, p->whole->hidden, p->whole->intermediate,
                 p->whole->of.gate.format->name, p->whole->of.down.format->name);
    figures_note(f, "%s kernels, %s, %d thread%s%s; %zu token%s at a time", p->kernels->name, products_precisions()[p->mode],
                 threads_count(), threads_count() == 1 ? "" : "s", r->ranks > 1 ? " a rank" : "", p->batch.value[0],
                 p->batch.value[0] == 1 ? "" : "s");
}

static void first_table(struct figures *f, const struct bench_ffn_results *r)
{
    static const char *const titles[] = {"Variant", "Latency (ms)", "Throughput (GFLOP/s)", "Speedup", "Error (L2)"};
    struct box_table_row rows[1 + FFN_VARIANTS];
    for (int c = 0; c < 5; c++)
        snprintf(rows[0].cell[c], BOX_TABLE_CELL, "%s", titles[c]);
    for (int v = 0; v < (int)FFN_VARIANTS; v++)
        first_row(r, v, &rows[1 + v]);
    say_what(f, r);
    box_table_write(f->to, rows, 1 + FFN_VARIANTS, 5);
    figures_note(f, "Error: to the baseline of the same size. + below 1e-6, ~ to 1e-5, ! above%s\n",
                 result_of(r, 0, 0, FFN_BASELINE)->repacked ? ". Weights were repacked before" : "");
}

/* ---- the second, CSV, JSON ---- */

static enum status one_row(struct figures *f, const struct bench_ffn_results *r, size_t b, int v, struct error *e)
{
    const struct bench_ffn_plan *p = r->plan;
    const struct ffn_variants_result *x = result_of(r, 0, b, v);
    const struct timing_range ms = over(r, b, v, SECONDS);
    const bool reduced = v == FFN_REDUCED || v == FFN_BOTH;
    char name[64], reason[200] = "the measure of the others";
    name_variant(p, (enum ffn_variant)v, name, sizeof name);
    const char *verdict = v == FFN_BASELINE ? "-" : verdict_name(bench_ffn_verdict(r, b, (enum ffn_variant)v, reason, sizeof reason));
    const struct bench_ffn_line line = {
        .batch = p->batch.value[b], .variant = keys[v], .name = name, .verdict = verdict, .reason = reason,
        .seconds = {ms.median, over(r, b, v, FIRST_TENTH).median, over(r, b, v, LAST_TENTH).median, x->seconds.count},
        .speedup = {over(r, b, v, SPEEDUP).median, over(r, b, v, LOW).least, over(r, b, v, HIGH).most},
        .least = ms.least, .most = ms.most, .bytes = x->bytes, .flops = x->flops, .read_peak = over(r, b, v, READ_PEAK).median,
        .peak = over(r, b, v, PEAK).median, .kernel_error = over(r, b, v, KERNEL_ERROR).most,
        .approximation = over(r, b, v, APPROXIMATION).most, .error = over(r, b, v, ERROR).most, .noise = r->of[b].noise,
        .neurons = reduced ? p->reduced->intermediate : p->whole->intermediate,
        .kept = reduced ? (double)p->reduced->intermediate / (double)p->whole->intermediate : 1, .computed = x->computed,
        .repacked = x->repacked, .ranks = r->ranks};
    return bench_ffn_lines_row(f, p, &line, e);
}

static enum status all_rows(struct figures *f, const struct bench_ffn_results *r, struct error *e)
{
    enum status s = STATUS_OK;
    for (size_t b = 0; b < r->plan->batch.count && s == STATUS_OK; b++)
        for (int v = 0; v < (int)FFN_VARIANTS && s == STATUS_OK; v++)
            s = one_row(f, r, b, v, e);
    return s;
}

/* ---- in words ---- */

static void say_ranks(struct figures *f, const struct bench_ffn_results *r)
{
    figures_note(f, "\nOver %zu ranks at the same time, ms: least, median, most", r->ranks);
    for (size_t b = 0; b < r->plan->batch.count; b++)
        for (int v = 0; v < (int)FFN_VARIANTS; v++) {
            const struct timing_range ms = over(r, b, v, SECONDS);
            char name[64];
            name_variant(r->plan, (enum ffn_variant)v, name, sizeof name);
            figures_note(f, "%5zu  %-20s %9.3f %9.3f %9.3f", r->plan->batch.value[b], name, 1e3 * ms.least, 1e3 * ms.median, 1e3 * ms.most);
        }
}

static void say_saving(struct figures *f, const struct bench_ffn_results *r)
{
    const double base = over(r, 0, FFN_BASELINE, SECONDS).median, depth = (double)r->plan->depth;
    const double tokens = (double)r->plan->batch.value[0];
    figures_note(f, "\nThe FFNs of %zu layers take %.3f ms for a token, %zu at a time. Saved for each token by", r->plan->depth,
           1e3 * base * depth / tokens, r->plan->batch.value[0]);
    for (int v = FFN_FUSED; v < (int)FFN_VARIANTS; v++) {
        char name[64];
        name_variant(r->plan, (enum ffn_variant)v, name, sizeof name);
        figures_note(f, "  %-20s %9.3f ms", name, 1e3 * (base - over(r, 0, v, SECONDS).median) * depth / tokens);
    }
}

static void say_verdicts(struct figures *f, const struct bench_ffn_results *r)
{
    for (size_t b = 0; b < r->plan->batch.count; b++) {
        figures_note(f, "\nVerdict, %zu token%s at a time (two baselines differ by up to %.1f %%)", r->plan->batch.value[b],
               r->plan->batch.value[b] == 1 ? "" : "s", 100 * r->of[b].noise);
        for (int v = FFN_FUSED; v < (int)FFN_VARIANTS; v++) {
            char name[64], reason[200];
            const enum verdict verdict = bench_ffn_verdict(r, b, (enum ffn_variant)v, reason, sizeof reason);
            name_variant(r->plan, (enum ffn_variant)v, name, sizeof name);
            figures_note(f, "  %-20s %-11s %s", name, verdict_name(verdict), reason);
        }
    }
}

enum status bench_ffn_show(const struct bench_ffn_results *r, struct error *e)
{
    const struct bench_ffn_options *o = r->plan->options;
    struct figures f;
    bench_ffn_lines_open(&f, o);
    if (!o->csv && !o->json)
        first_table(&f, r);
    enum status s = all_rows(&f, r, e);
    if (s == STATUS_OK && r->ranks > 1)
        say_ranks(&f, r);
    if (s == STATUS_OK) {
        say_saving(&f, r);
        say_verdicts(&f, r);
        s = r->shares ? bench_ffn_lines_shares(&f, r->plan, r->shares, e) : STATUS_OK;
    }
    if (s == STATUS_OK)
        return figures_finish(&f, e);
    figures_stop(&f);
    return s;
}
