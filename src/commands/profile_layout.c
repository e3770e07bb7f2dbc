/* profile_layout.c - see profile_layout.h. */
#include "profile_layout.h"

#include <stdlib.h>
#include <unistd.h>

#include "../base/log.h"
#include "../base/memory.h"
#include "../base/resources.h"
#include "../base/threads.h"
#include "../model/batch_size.h"

static void choose_threads(const struct profile_options *o, const struct ranks *r)
{
    const char *variable = getenv("OMP_NUM_THREADS");
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    int available = threads_available();
    long asked = variable ? strtol(variable, NULL, 10) : 0; /* "4,2" asks for 4 at the outer level */
    int wanted = asked > 0 && asked <= 4096 ? (int)asked : 0;
    if (o->threads)
        wanted = (int)o->threads;
    if (wanted <= 0) /* not bound by the launcher: the ranks of a node share its cores */
        wanted = available >= online ? available / r->node_size : available;
    threads_set(wanted);
}

/* The schedule needs the same number everywhere, and nodes may differ: rank 0's. */
static void choose_batch(struct profile_options *o, const struct config *c, const struct ranks *r)
{
    struct caches caches = caches_read(NULL);
    if (!o->batch_tokens)
        o->batch_tokens = batch_size(&caches, c, (size_t)threads_count(), (size_t)r->size);
    ranks_broadcast(&o->batch_tokens, sizeof o->batch_tokens);
}

enum status profile_layout_choose(struct grid *g, struct profile_options *o, const struct ranks *r, const struct config *c,
                                  const struct model_file *file, const struct intake *in, struct error *e)
{
    struct footprint_weights weights;
    choose_threads(o, r);
    choose_batch(o, c, r);
    struct footprint_load load = {.batch_tokens = (size_t)o->batch_tokens, .threads = (size_t)threads_count(), .longest = 1,
                                  .shortest = SIZE_MAX, .mode = (enum kernels_mode)o->precision};
    for (size_t i = 0; i < in->count; i++) {
        size_t length = (size_t)in->items[i].length;
        load.longest = length > load.longest ? length : load.longest;
        load.shortest = length < load.shortest ? length : load.shortest;
    }
    enum status s = ranks_agree(r, footprint_weights_read(&weights, file, c->layers, e), e);
    if (s == STATUS_OK)
        s = grid_open(g, r, o->grid_wish, c, &weights, &load, e);
    footprint_weights_free(&weights);
    return s;
}

void profile_layout_tell(const struct grid *g, const struct ranks *r)
{
    char layers[200];
    if (r->size == 1)
        return;
    log_line("grid: %zu group%s x %zu stage%s (%s)", g->groups, g->groups == 1 ? "" : "s", g->stages,
             g->stages == 1 ? "" : "s", g->reason);
    if (g->stages > 1) {
        grid_layers_text(g, layers, sizeof layers);
        log_line("layers of the stages: %s", layers);
    }
    if (*g->warning)
        log_warning("%s", g->warning);
}

enum status profile_layout_memory(struct profile_layout_memory *most, const struct ranks *r, struct error *e)
{
    struct resources_used own = resources_used(NULL), *all;
    size_t total;
    enum status s = ranks_gather(r, &own, 1, sizeof own, &all, &total, e);
    *most = (struct profile_layout_memory){0, 0, 0, 0};
    for (size_t i = 0; i < total && s == STATUS_OK; i++) {
        if (all[i].own > most->own) {
            most->own = all[i].own;
            most->own_rank = (int)i;
        }
        if (all[i].mapped > most->mapped) {
            most->mapped = all[i].mapped;
            most->mapped_rank = (int)i;
        }
    }
    memory_free(all);
    return s;
}
