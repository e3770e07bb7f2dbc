/* grid.c - see grid.h. */
#include "grid.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/machine.h"
#include "../base/memory.h"
#include "../base/resources.h"

/* Of a node's memory this share is left for what the plan doesn't know: the program itself, MPI, the tokenizer. */
#define SPARE 0.1

bool grid_parse(const char *text, struct grid_wish *wish)
{
    char *end;
    *wish = (struct grid_wish){0, 0};
    if (strcmp(text, "auto") == 0)
        return true;
    if (*text < '1' || *text > '9')
        return false;
    unsigned long groups = strtoul(text, &end, 10);
    if (*end != 'x' || end[1] < '1' || end[1] > '9')
        return false;
    unsigned long stages = strtoul(end + 1, &end, 10);
    if (*end != '\0' || groups > 100000000 || stages > 100000000)
        return false;
    *wish = (struct grid_wish){groups, stages};
    return true;
}

/* ---- what a number of stages takes ---- */

/* A stage's shares: what ranks of a node share, and what each has. */
struct shares {
    uint64_t weights, own;
};

static enum status shares_of(struct shares *shares, size_t stages, const struct config *c,
                             const struct footprint_weights *w, const struct footprint_load *load, struct error *e)
{
    struct footprint_stage *cut;
    enum status s = memory_array(&cut, stages, sizeof *cut, "the choice of a grid", e);
    if (s == STATUS_OK)
        s = footprint_cut(cut, w, stages, e);
    for (size_t i = 0; i < stages && s == STATUS_OK; i++) {
        struct footprint f;
        s = footprint_of(&f, c, w, load, cut[i], e);
        shares[i] = (struct shares){f.weights, f.state + f.working};
    }
    memory_free(cut);
    return s;
}

static uint64_t sum(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* Adds up by node: need[ranks], at the node's number; held[ranks * stages] is zero before. */
static void fill_nodes(uint64_t *need, char *held, const struct grid_place *place, size_t ranks, size_t stages,
                       const struct shares *shares)
{
    for (size_t r = 0; r < ranks; r++) {
        size_t stage = r % stages, node = (size_t)place[r].node;
        need[node] = sum(need[node], shares[stage].own);
        if (!held[node * stages + stage])
            need[node] = sum(need[node], shares[stage].weights);
        held[node * stages + stage] = 1;
    }
}

enum status grid_weigh(struct grid_need *need, const struct grid_place *place, size_t ranks, size_t stages,
                       const struct config *c, const struct footprint_weights *w, const struct footprint_load *load,
                       struct error *e)
{
    struct shares *shares = NULL;
    uint64_t *nodes = NULL;
    char *held = NULL;
    double fullest = -1.0;
    size_t pairs;
    enum status s = memory_array(&shares, stages, sizeof *shares, "the choice of a grid", e);
    if (s == STATUS_OK && !memory_multiply(ranks, stages, &pairs))
        s = error_set(e, STATUS_FAILED, "too many ranks");
    if (s == STATUS_OK)
        s = memory_array(&nodes, ranks, sizeof *nodes, "the choice of a grid", e);
    if (s == STATUS_OK)
        s = memory_array(&held, pairs, 1, "the choice of a grid", e);
    if (s == STATUS_OK)
        s = shares_of(shares, stages, c, w, load, e);
    *need = (struct grid_need){.stages = stages, .fits = true};
    if (s == STATUS_OK)
        fill_nodes(nodes, held, place, ranks, stages, shares);
    for (size_t r = 0; r < ranks && s == STATUS_OK; r++) {
        uint64_t own = nodes[place[r].node], memory = place[r].memory;
        double full = memory ? (double)own / (double)memory : 0.0;
        if (full > fullest) {
            fullest = full;
            need->rank = r;
            need->need = own;
            need->memory = memory;
        }
        need->fits = need->fits && full <= 1.0 - SPARE;
    }
    memory_free(shares);
    memory_free(nodes);
    memory_free(held);
    return s;
}

/* How full, for comparing two that don't fit. */
static bool fuller(const struct grid_need *a, const struct grid_need *b)
{
    return (double)a->need * (double)b->memory > (double)b->need * (double)a->memory;
}

enum status grid_choose(struct grid_need *chosen, struct grid_need *first, const struct grid_place *place, size_t ranks,
                        const struct config *c, const struct footprint_weights *w, const struct footprint_load *load,
                        struct error *e)
{
    enum status s = grid_weigh(first, place, ranks, 1, c, w, load, e);
    *chosen = *first;
    for (size_t stages = 2; stages <= ranks && stages <= w->layers && s == STATUS_OK && !chosen->fits; stages++) {
        struct grid_need other;
        if (ranks % stages != 0)
            continue;
        s = grid_weigh(&other, place, ranks, stages, c, w, load, e);
        if (s == STATUS_OK && (other.fits || fuller(chosen, &other)))
            *chosen = other;
    }
    return s;
}

/* ---- the grid of this run ---- */

struct bytes_text {
    char text[32];
};

static struct bytes_text bytes_words(uint64_t bytes)
{
    struct bytes_text t;
    if (bytes >= 1000000000)
        snprintf(t.text, sizeof t.text, "%.1f GB", 1e-9 * (double)bytes);
    else
        snprintf(t.text, sizeof t.text, "%.0f MB", 1e-6 * (double)bytes);
    return t;
}

static const char *limit_words(const struct grid_place *place)
{
    static const char *const words[] = {[GRID_FREE] = "", [GRID_GROUP] = " by its control group's limit",
                                        [GRID_DOMAINS] = " in the NUMA domains that it may use"};
    return words[place->limit <= GRID_DOMAINS ? place->limit : GRID_FREE];
}

static void say_why(struct grid *g, const struct grid_place *place, const struct grid_need *chosen,
                    const struct grid_need *first)
{
    const char *host = place[first->rank].host, *limit = limit_words(&place[first->rank]);
    struct bytes_text need = bytes_words(first->need), memory = bytes_words(first->memory);
    if (chosen->stages == 1 && first->memory == 0)
        snprintf(g->reason, sizeof g->reason, "auto: what memory there is can't be told");
    else if (chosen->stages == 1)
        snprintf(g->reason, sizeof g->reason, "auto: one stage needs %s of the %s that %s has left%s", need.text,
                 memory.text, host, limit);
    else
        snprintf(g->reason, sizeof g->reason, "auto: one stage would need %s of the %s that %s has left%s, %zu stages need %s",
                 need.text, memory.text, host, limit, chosen->stages, bytes_words(chosen->need).text);
}

/* `mine` is what the grid of this run needs, `best` what the best would. */
static void warn_of_memory(struct grid *g, const struct grid_place *place, const struct grid_need *mine,
                           const struct grid_need *best, size_t ranks)
{
    char other[96] = "start fewer ranks on each node, or use a smaller --context or --batch-tokens";
    if (mine->fits)
        return;
    if (best->fits)
        snprintf(other, sizeof other, "--grid %zux%zu would fit", ranks / best->stages, best->stages);
    snprintf(g->warning, sizeof g->warning, "memory is short: this grid needs %s of the %s that %s has left, and some more for the "
             "program; %s", bytes_words(mine->need).text, bytes_words(mine->memory).text, place[mine->rank].host, other);
}

enum status grid_suits(struct grid_wish wish, size_t ranks, size_t layers, struct error *e)
{
    if (!wish.stages)
        return STATUS_OK;
    if (wish.stages > layers) {
        error_set(e, STATUS_USAGE, "--grid %zux%zu has %zu stages, and the model has %zu layers", wish.groups, wish.stages,
                  wish.stages, layers);
        return error_advice(e, "give at most as many stages as layers, or --grid auto");
    }
    if (wish.groups * wish.stages == ranks)
        return STATUS_OK;
    error_set(e, STATUS_USAGE, "--grid %zux%zu is for %zu ranks, and there %s %zu", wish.groups, wish.stages,
              wish.groups * wish.stages, ranks == 1 ? "is" : "are", ranks);
    return error_advice(e, "start that many (mpirun -np %zu), or give --grid auto", wish.groups * wish.stages);
}

static enum status decide(struct grid *g, const struct grid_place *place, const struct ranks *r, struct grid_wish wish,
                          const struct config *c, const struct footprint_weights *w, const struct footprint_load *load,
                          struct error *e)
{
    struct grid_need chosen, first, mine;
    size_t ranks = (size_t)r->size;
    enum status s = grid_choose(&chosen, &first, place, ranks, c, w, load, e);
    mine = chosen;
    if (s == STATUS_OK && wish.stages)
        s = grid_weigh(&mine, place, ranks, wish.stages, c, w, load, e);
    if (s != STATUS_OK)
        return s;
    g->stages = mine.stages;
    g->groups = ranks / mine.stages;
    g->stage = (size_t)r->rank % g->stages;
    g->group = (size_t)r->rank / g->stages;
    if (wish.stages)
        snprintf(g->reason, sizeof g->reason, "as asked for");
    else
        say_why(g, place, &chosen, &first);
    warn_of_memory(g, place, &mine, &chosen, ranks);
    s = memory_array(&g->cut, g->stages, sizeof *g->cut, "the grid", e);
    if (s == STATUS_OK)
        s = footprint_cut(g->cut, w, g->stages, e);
    if (s == STATUS_OK)
        g->layers = g->cut[g->stage];
    return s;
}

/* What every rank is told of every other. */
struct told {
    struct grid_place place;
    uint64_t threads;
};

/* What the kernel and control groups leave; `domains`: no more than the NUMA domains that it may use have, which one rank of a
 * node looks up. */
static uint64_t memory_here(bool domains, uint64_t *limit)
{
    struct resources_memory left = resources_available(NULL);
    uint64_t most = domains && machine_here()->confined ? machine_here()->memory : 0;
    *limit = left.limited ? GRID_GROUP : GRID_FREE;
    if (!most || (left.bytes && left.bytes <= most))
        return left.bytes;
    *limit = GRID_DOMAINS;
    return most;
}

static enum status tell(const struct ranks *r, const struct footprint_load *load, struct told **all, struct error *e)
{
    const char *hook = getenv("PHI3SAT_TEST_MEMORY");
    struct told own = {.threads = load->threads};
    size_t total;
    own.place.memory = memory_here(r->node_rank == 0, &own.place.limit);
    if (hook)
        own.place = (struct grid_place){.memory = strtoull(hook, NULL, 10)};
    snprintf(own.place.host, sizeof own.place.host, "%.60s", r->host);
    own.place.node = (uint64_t)r->node;
    return ranks_gather(r, &own, 1, sizeof own, all, &total, e);
}

enum status grid_open(struct grid *g, const struct ranks *r, struct grid_wish wish, const struct config *c,
                      const struct footprint_weights *w, const struct footprint_load *load, struct error *e)
{
    struct told *all;
    struct grid_place *place = NULL;
    struct footprint_load most = *load;
    memset(g, 0, sizeof *g);
    enum status s = tell(r, load, &all, e);
    if (s != STATUS_OK)
        return s;
    s = memory_array(&place, (size_t)r->size, sizeof *place, "the choice of a grid", e);
    for (int i = 0; i < r->size && s == STATUS_OK; i++) {
        place[i] = all[i].place;
        most.threads = all[i].threads > most.threads ? (size_t)all[i].threads : most.threads;
        struct grid_place *node = &place[place[i].node];
        if (all[i].place.memory && all[i].place.memory < node->memory) { /* ranks asked one after the other */
            node->memory = all[i].place.memory;
            node->limit = all[i].place.limit;
        }
    }
    for (int i = 0; i < r->size && s == STATUS_OK; i++) {
        place[i].memory = place[place[i].node].memory;
        place[i].limit = place[place[i].node].limit;
    }
    if (s == STATUS_OK)
        s = decide(g, place, r, wish, c, w, &most, e);
    memory_free(place);
    memory_free(all);
    return ranks_agree(r, s, e);
}

void grid_free(struct grid *g)
{
    memory_free(g->cut);
    memset(g, 0, sizeof *g);
}

void grid_layers_text(const struct grid *g, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t s = 0; s < g->stages; s++) {
        char one[64];
        size_t first = g->cut[s].first, last = first + g->cut[s].count - 1;
        int length = first == last ? snprintf(one, sizeof one, "%s%zu", s ? " " : "", first)
                                   : snprintf(one, sizeof one, "%s%zu-%zu", s ? " " : "", first, last);
        if (used + (size_t)length + 5 > size) {
            snprintf(text + used, size - used, " ...");
            return;
        }
        used += (size_t)snprintf(text + used, size - used, "%s", one);
    }
}
