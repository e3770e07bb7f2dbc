/* alike.c - see alike.h.
 *
 * The model's fingerprint of an archive can't tell: each layer of it is hashed by one rank, from decoded values. Here each host
 * reads all that its ranks are going to use.
 */
#include "alike.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../base/log.h"
#include "../base/memory.h"
#include "../base/outfile.h"

#define LOOKS 20 /* a tenth of a second each, for file systems that are late         */

static bool one_host(const struct ranks *r)
{
    return r->node_size == r->size; /* the same on all ranks */
}

enum status alike_build(const struct ranks *r, const char *build, struct error *e)
{
    char first[256] = "";
    enum status s = STATUS_OK;
    if (one_host(r))
        return STATUS_OK;
    snprintf(first, sizeof first, "%s", build);
    ranks_broadcast(first, sizeof first);
    if (strncmp(first, build, sizeof first - 1) != 0) {
        s = error_set(e, STATUS_FAILED, "phi3sat is another build here, %.100s, than on rank 0, %.100s", build, first);
        error_advice(e, "install the same one on all hosts");
    }
    return ranks_agree(r, s, e);
}

static enum status other_model(const char *path, const char *what, struct error *e)
{
    error_set(e, STATUS_INPUT, "the file here is not the one of rank 0: %s differ", what);
    error_advice(e, "give all hosts the same model file");
    return error_file(e, path);
}

enum status alike_header(const struct ranks *r, const struct model_file *file, struct error *e)
{
    uint64_t own[2], first[2];
    if (one_host(r))
        return STATUS_OK;
    fingerprint_header(file, own);
    memcpy(first, own, sizeof first);
    ranks_broadcast(first, sizeof first);
    return ranks_agree(r, memcmp(own, first, sizeof own) == 0 ? STATUS_OK
                          : other_model(model_file_path(file), "its keys, its tensors' shapes or its size", e), e);
}

/* ---- weights ---- */

/* This rank's part of its stage's layers on its host: those whose number modulo `count` is `turn`. */
struct part {
    size_t turn, count;
};

static enum status find_part(struct part *p, const struct ranks *r, const struct grid *g, struct error *e)
{
    int32_t own = r->node, *node;
    size_t total;
    *p = (struct part){0, 0};
    enum status s = ranks_gather(r, &own, 1, sizeof own, &node, &total, e);
    for (size_t i = g->stage; i < total && s == STATUS_OK; i += g->stages) {
        p->turn += i < (size_t)r->rank && node[i] == own;
        p->count += node[i] == own;
    }
    memory_free(node);
    return s;
}

/* Collective. hash[layers + 1] of what `p` says; the lowest rank that has hashed a layer tells the others: first[layers + 1]. */
static void exchange(const struct ranks *r, const bool *mine, uint64_t (*hash)[2], uint64_t (*first)[2], uint32_t *lowest,
                     size_t count)
{
    const uint32_t own = (uint32_t)(r->size - r->rank);
    for (size_t i = 0; i < count; i++)
        lowest[i] = mine[i] ? own : 0;
    ranks_largest(lowest, count);
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < 2; k++)
            first[i][k] = mine[i] && lowest[i] == own ? hash[i][k] : 0;
    ranks_sum(&first[0][0], 2 * count);
}

/* Collective. Layers, then the embedding. */
struct comparison {
    uint64_t (*hash)[2], (*first)[2];
    uint32_t *lowest;
    bool *mine;
};

static enum status open_comparison(struct comparison *c, size_t count, struct error *e)
{
    memset(c, 0, sizeof *c);
    enum status s = memory_array(&c->hash, count, sizeof *c->hash, "the comparison of models", e);
    if (s == STATUS_OK)
        s = memory_array(&c->first, count, sizeof *c->first, "the comparison of models", e);
    if (s == STATUS_OK)
        s = memory_array(&c->lowest, count, sizeof *c->lowest, "the comparison of models", e);
    return s == STATUS_OK ? memory_array(&c->mine, count, sizeof *c->mine, "the comparison of models", e) : s;
}

static void close_comparison(struct comparison *c)
{
    memory_free(c->hash);
    memory_free(c->first);
    memory_free(c->lowest);
    memory_free(c->mine);
}

static void hash_part(struct comparison *c, const struct part *p, const struct grid *g, const struct config *config,
                      const struct weights *w)
{
    for (size_t i = p->turn; i < g->layers.count; i += p->count) {
        size_t layer = g->layers.first + i;
        log_phase("comparing the hosts' models: layer %zu of %zu", layer, w->layers);
        fingerprint_bytes(config, w, layer, c->hash[layer]);
        c->mine[layer] = true;
    }
    if (g->stage == 0 && p->turn == p->count - 1) {
        fingerprint_bytes(config, w, w->layers, c->hash[w->layers]);
        c->mine[w->layers] = true;
    }
}

/* The first layer that differs. */
static enum status compare(const struct comparison *c, const struct weights *w, const char *path, struct error *e)
{
    char what[64] = "the weights of the embedding or the rotary factors";
    for (size_t i = 0; i <= w->layers; i++) {
        if (!c->mine[i] || memcmp(c->hash[i], c->first[i], sizeof c->hash[i]) == 0)
            continue;
        if (i < w->layers)
            snprintf(what, sizeof what, "the weights of layer %zu", i);
        return other_model(path, what, e);
    }
    return STATUS_OK;
}

enum status alike_weights(const struct ranks *r, const struct grid *g, const struct config *config, const struct weights *w,
                          const char *path, struct error *e)
{
    struct comparison c;
    struct part p;
    if (one_host(r))
        return STATUS_OK;
    enum status s = find_part(&p, r, g, e);
    if (s != STATUS_OK)
        return s;
    s = ranks_agree(r, open_comparison(&c, w->layers + 1, e), e);
    if (s == STATUS_OK) {
        hash_part(&c, &p, g, config, w);
        exchange(r, c.mine, c.hash, c.first, c.lowest, w->layers + 1);
        s = ranks_agree(r, compare(&c, w, path, e), e);
    }
    close_comparison(&c);
    return s;
}

/* ---- the outputs' folder ---- */

static bool sees(const char *name)
{
    const struct timespec moment = {0, 100000000};
    for (int i = 0; i < LOOKS; i++) {
        if (access(name, F_OK) == 0)
            return true;
        nanosleep(&moment, NULL);
    }
    return false;
}

enum status alike_folder(const struct ranks *r, const char *path, int *stranger, char host[64], struct error *e)
{
    char name[4200] = "", *made = NULL;
    struct {
        int32_t rank;
        bool sees;
        char host[64];
    } own = {r->rank, true, ""}, *all;
    void *gathered;
    size_t total;
    *stranger = 0;
    if (one_host(r))
        return STATUS_OK;
    enum status s = ranks_agree(r, r->rank == 0 ? outfile_reserve(path, &made, e) : STATUS_OK, e);
    if (s != STATUS_OK)
        return s;
    if (made)
        snprintf(name, sizeof name, "%s", made);
    ranks_broadcast(name, sizeof name);
    own.sees = r->node_rank != 0 || sees(name);
    snprintf(own.host, sizeof own.host, "%.63s", r->host);
    s = ranks_gather(r, &own, r->node_rank == 0, sizeof own, &gathered, &total, e);
    if (made)
        outfile_discard(made);
    memory_free(made);
    all = gathered;
    for (size_t i = 0; i < total && s == STATUS_OK && !*stranger; i++)
        if (!all[i].sees) {
            *stranger = all[i].rank;
            memcpy(host, all[i].host, sizeof all[i].host);
        }
    memory_free(gathered);
    return s;
}
