/* plan_grids.c - see plan_grids.h.
 *
 * Stages are tried from one on: more of them cost efficiency and save memory, so that the search ends once enough
 * grids have been simulated and one of them fits.
 */
#include "plan_grids.h"

#include <stdlib.h>
#include <string.h>

#include "../base/memory.h"

/* The program, its libraries, tokenizer and MPI's buffers: a rank's private memory without all that is counted. */
#define PROGRAM_BYTES (60u << 20)
/* An archive's summary and data sets, measured: seconds, and seconds a neuron. */
#define WRITE_SECONDS 0.1
#define WRITE_NEURON 3e-5

/* What ranks [from, to) take of a node; weights are mapped, so that stages alike share them. */
static uint64_t node_bytes(const struct footprint *stage, size_t stages, size_t prompts, size_t from, size_t to)
{
    uint64_t bytes = 0, own = PROGRAM_BYTES + 2 * prompts * sizeof(struct intake_item); /* the schedule, too */
    for (size_t r = from; r < to; r++) {
        const struct footprint *f = &stage[r % stages];
        bytes += f->state + f->working + own + (r - from < stages ? f->weights : 0);
    }
    return bytes;
}

static enum status weigh(struct plan_grid *g, const struct plan_terms *t, const struct footprint_stage *cut, struct error *e)
{
    struct footprint *stage;
    size_t ranks = g->groups * g->stages, per_node = t->machine.ranks_per_node;
    uint64_t most = 0;
    enum status s = memory_array(&stage, g->stages, sizeof *stage, "a plan", e);
    for (size_t i = 0; i < g->stages && s == STATUS_OK; i++) {
        s = footprint_of(&stage[i], t->config, t->weights, &t->load, cut[i], e);
        uint64_t all = stage[i].weights + stage[i].state + stage[i].working;
        if (s == STATUS_OK && (i == 0 || all > most)) {
            most = all;
            g->rank = stage[i];
        }
    }
    /* nodes begin with different stages, in a cycle no longer than the stages */
    for (size_t n = 0; s == STATUS_OK && n < g->stages && n * per_node < ranks; n++) {
        size_t from = n * per_node, to = from + per_node < ranks ? from + per_node : ranks;
        uint64_t bytes = node_bytes(stage, g->stages, t->count, from, to);
        g->node = bytes > g->node ? bytes : g->node;
    }
    g->fits = g->node <= t->memory;
    memory_free(stage);
    return s;
}

static enum status make_grid(struct plan_grid *g, const struct plan_terms *t, size_t stages, struct error *e)
{
    struct footprint_stage *cut;
    const struct config *c = t->config;
    *g = (struct plan_grid){.groups = t->ranks / stages, .stages = stages};
    enum status s = memory_array(&cut, stages, sizeof *cut, "a plan", e);
    if (s == STATUS_OK)
        s = footprint_cut(cut, t->weights, stages, e);
    if (s == STATUS_OK)
        s = weigh(g, t, cut, e);
    if (s == STATUS_OK) {
        struct simulate_run run = {.schedule = schedule_terms(c, g->groups, stages, t->load.batch_tokens),
                                   .pace = t->pace, .machine = t->machine, .cut = cut, .layers = c->layers,
                                   .hidden = c->hidden, .intermediate = c->intermediate};
        s = simulate_run(&g->result, &run, t->items, t->count, e);
    }
    g->write = WRITE_SECONDS + WRITE_NEURON * (double)(c->layers * c->intermediate);
    g->seconds = t->start + g->result.prompts + g->result.merge + g->write;
    memory_free(cut);
    return s;
}

static int by_time(const void *a, const void *b)
{
    const struct plan_grid *x = a, *y = b;
    if (x->fits != y->fits)
        return x->fits ? -1 : 1;
    if (x->seconds != y->seconds)
        return x->seconds < y->seconds ? -1 : 1;
    return (x->stages > y->stages) - (x->stages < y->stages);
}

enum status plan_grids_make(struct plan_grids *grids, const struct plan_terms *t, struct error *e)
{
    size_t layers = t->config->layers;
    bool fits = false;
    enum status s = STATUS_OK;
    memset(grids, 0, sizeof *grids);
    if (t->stages > layers) {
        error_set(e, STATUS_USAGE, "--grid %zux%zu has more stages than the model has layers (%zu)", t->groups, t->stages,
                  layers);
        return error_advice(e, "use at most one stage for each layer");
    }
    for (size_t stages = 1; stages <= layers && stages <= t->ranks && s == STATUS_OK; stages++) {
        if (t->stages ? stages != t->stages : t->ranks % stages != 0)
            continue;
        if (grids->count == PLAN_GRIDS_MOST) {
            if (fits)
                break;
            grids->count--; /* the last tried doesn't fit either: one with less a rank takes its place */
        }
        struct plan_grid *g = &grids->grid[grids->count++];
        s = make_grid(g, t, stages, e);
        fits = fits || g->fits;
    }
    if (s == STATUS_OK)
        qsort(grids->grid, grids->count, sizeof *grids->grid, by_time);
    return s;
}
