/* bench_ffn.c - see bench_ffn.h.
 *
 * Every rank opens the same plan and measures it on its own cores at the same time, since memory's bandwidth is what
 * they share; rank 0 gathers and prints.
 */
#include "bench_ffn.h"

#include <stdio.h>
#include <string.h>

#include "../archive/archive_reader.h"
#include "../base/log.h"
#include "../base/memory.h"
#include "../cluster/ranks.h"
#include "../report/figures.h"
#include "bench_ffn_curve.h"
#include "bench_ffn_options.h"
#include "bench_ffn_plan.h"
#include "bench_ffn_show.h"

/* A batch begins on all ranks together. */
static enum status measure(const struct ranks *ranks, const struct bench_ffn_plan *p, struct bench_ffn_batch *own, struct error *e)
{
    const struct ffn_variants_plan plan = {.whole = p->whole, .reduced = p->reduced, .layers = p->layers,
                                           .x = (const float *const *)p->x, .checked = p->checked, .kernels = p->kernels, .mode = p->mode,
                                           .batch = p->batch.value, .batches = p->batch.count, .timing = p->timing};
    struct ffn_variants *v = NULL;
    enum status s = ranks_agree(ranks, ffn_variants_open(&v, &plan, e), e);
    for (size_t b = 0; b < p->batch.count && s == STATUS_OK; b++) {
        log_phase("measuring %zu tokens at a time", p->batch.value[b]);
        s = ranks_agree(ranks, ffn_variants_measure(v, b, own[b].variant, &own[b].noise, e), e);
    }
    ffn_variants_close(v);
    return s;
}

static enum status judge(const struct bench_ffn_results *r, struct error *e)
{
    char reason[200];
    for (size_t b = 0; b < r->plan->batch.count; b++)
        for (int v = FFN_FUSED; v < (int)FFN_VARIANTS; v++)
            if (bench_ffn_verdict(r, b, (enum ffn_variant)v, reason, sizeof reason) == VERDICT_REJECTED)
                return error_set(e, STATUS_VERDICT, "a variant is rejected at %zu tokens at a time: %s", r->plan->batch.value[b], reason);
    return STATUS_OK;
}

static enum status show(const struct ranks *ranks, const struct bench_ffn_plan *p, const struct bench_ffn_batch *own,
                        const struct bench_ffn_shares *shares, struct error *e)
{
    struct bench_ffn_batch *all = NULL;
    double *scratch = NULL;
    size_t total = 0;
    enum status s = ranks_gather(ranks, own, p->batch.count, sizeof *own, &all, &total, e);
    if (s == STATUS_OK)
        s = memory_array(&scratch, (size_t)ranks->size, sizeof *scratch, "figures", e);
    const struct bench_ffn_results r = {p, all, (size_t)ranks->size, scratch, shares->count ? shares : NULL};
    if (s == STATUS_OK && ranks->rank == 0)
        s = bench_ffn_show(&r, e);
    if (s == STATUS_OK && ranks->rank == 0 && p->options->strict)
        s = judge(&r, e);
    memory_free(all);
    memory_free(scratch);
    return s;
}

static enum status run(const struct ranks *ranks, const struct bench_ffn_options *o, struct error *e)
{
    struct bench_ffn_plan p;
    struct bench_ffn_batch *own = NULL;
    struct bench_ffn_shares shares = {.of = NULL};
    log_phase("making weights and inputs");
    enum status s = ranks_agree(ranks, bench_ffn_plan_open(&p, o, e), e);
    if (s == STATUS_OK)
        s = ranks_agree(ranks, memory_array(&own, p.batch.count, sizeof *own, "results", e), e);
    if (s == STATUS_OK)
        s = measure(ranks, &p, own, e);
    if (s == STATUS_OK && ranks->size == 1 && p.file) /* accuracy is the same on all ranks */
        s = bench_ffn_shares_measure(&shares, &p, e);
    if (s == STATUS_OK)
        s = ranks_agree(ranks, show(ranks, &p, own, &shares, e), e);
    if (s == STATUS_OK && o->svg && ranks->rank == 0)
        s = bench_ffn_curve_write(o->svg, &p, &shares, e);
    memory_free(shares.of);
    memory_free(own);
    bench_ffn_plan_close(&p);
    return s;
}

enum status bench_ffn_command(int argc, char **argv, struct error *e)
{
    struct bench_ffn_options o;
    struct ranks ranks;
    struct error mpi;
    bool help;
    const enum status s = bench_ffn_options_read(&o, argc, argv, &help, e);
    if (s != STATUS_OK)
        return ranks_fail_together(s, e);
    if (help)
        return ranks_speaks() ? figures_help(&bench_ffn_options, e) : STATUS_OK;
    if (o.archive)
        archive_reader_prepare();
    if (ranks_start(&ranks, &argc, &argv, &mpi) != STATUS_OK) {
        *e = mpi;
        return mpi.status;
    }
    log_open(ranks.rank == 0, LOG_NORMAL, LOG_PROGRESS_AUTO);
    return run(&ranks, &o, e);
}
