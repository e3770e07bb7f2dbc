/* merge.c - user-defined reductions over blocks and layers; see merge.h.
 *
 * The groups' ranks of one stage reduce to the first of them, series by series, and that one sends on to rank 0. All of
 * it is non-blocking underneath: rank 0 takes its time over each layer (it writes), and the others nap meanwhile.
 */
#include "merge.h"

#include <mpi.h>
#include <string.h>

#include "../base/memory.h"
#include "waiting.h"

#define LAYER_TAG 12

struct merge {
    const struct ranks *ranks;
    const struct grid *grid;
    struct accumulator *state;
    MPI_Comm stage;                  /* ranks of this stage, by group                */
    MPI_Datatype block, facts;
    MPI_Op add_blocks, add_facts;
    struct accumulator_block *blocks; /* [state.blocks]: a series on its way to rank 0 */
};

static void merge_blocks(void *in, void *inout, int *count, MPI_Datatype *type)
{
    const struct accumulator_block *from = in;
    struct accumulator_block *into = inout;
    (void)type;
    for (int i = 0; i < *count; i++)
        accumulator_block_merge(&into[i], &from[i]);
}

static void merge_facts(void *in, void *inout, int *count, MPI_Datatype *type)
{
    const struct accumulator_layer *from = in;
    struct accumulator_layer *into = inout;
    (void)type;
    for (int i = 0; i < *count; i++)
        accumulator_layer_merge(&into[i], &from[i]);
}

static void make_type(size_t size, MPI_User_function *merge, MPI_Datatype *type, MPI_Op *op)
{
    MPI_Type_contiguous((int)size, MPI_BYTE, type);
    MPI_Type_commit(type);
    MPI_Op_create(merge, 1, op);
}

enum status merge_open(struct merge **merge, const struct ranks *r, const struct grid *g, struct accumulator *state,
                       struct error *e)
{
    struct merge *m;
    enum status s = memory_array(&m, 1, sizeof *m, "merging", e);
    *merge = NULL;
    if (s == STATUS_OK)
        s = memory_array(&m->blocks, state->blocks, sizeof *m->blocks, "merging", e);
    s = ranks_agree(r, s, e);
    if (s != STATUS_OK) {
        memory_free(m ? m->blocks : NULL);
        memory_free(m);
        return s;
    }
    m->ranks = r;
    m->grid = g;
    m->state = state;
    MPI_Comm_split(MPI_COMM_WORLD, (int)g->stage, (int)g->group, &m->stage);
    make_type(sizeof(struct accumulator_block), merge_blocks, &m->block, &m->add_blocks);
    make_type(sizeof(struct accumulator_layer), merge_facts, &m->facts, &m->add_facts);
    *merge = m;
    return STATUS_OK;
}

void merge_close(struct merge *m)
{
    if (!m)
        return;
    MPI_Op_free(&m->add_blocks);
    MPI_Op_free(&m->add_facts);
    MPI_Type_free(&m->block);
    MPI_Type_free(&m->facts);
    MPI_Comm_free(&m->stage);
    memory_free(m->blocks);
    memory_free(m);
}

/* One array of a layer on its way. */
struct piece {
    void *state;          /* this rank's                                            */
    void *result;         /* rank 0's                                               */
    size_t count;
    MPI_Datatype type;
    MPI_Op op;
};

static size_t stage_of(const struct grid *g, size_t layer)
{
    size_t stage = 0;
    while (layer >= g->cut[stage].first + g->cut[stage].count)
        stage++;
    return stage;
}

/* The first rank of each stage is the one whose number is the stage's. */
static void gather(struct merge *m, size_t stage, const struct piece *p)
{
    MPI_Request request;
    const int rank = m->ranks->rank, root = (int)stage;
    void *sum = rank == 0 ? p->result : m->blocks;
    if (m->grid->stage == stage) {
        MPI_Ireduce(p->state, sum, (int)p->count, p->type, p->op, 0, m->stage, &request);
        waiting_request(&request);
        if (rank == root && rank != 0) {
            MPI_Isend(sum, (int)p->count, p->type, 0, LAYER_TAG, MPI_COMM_WORLD, &request);
            waiting_request(&request);
        }
    } else if (rank == 0) {
        MPI_Irecv(sum, (int)p->count, p->type, root, LAYER_TAG, MPI_COMM_WORLD, &request);
        waiting_request(&request);
    }
}

static void hand_out(const struct merge *m, size_t stage, const struct piece *p)
{
    MPI_Request request;
    const int rank = m->ranks->rank, root = (int)stage;
    if (rank == 0 && root != 0) {
        MPI_Isend(p->result, (int)p->count, p->type, root, LAYER_TAG, MPI_COMM_WORLD, &request);
        waiting_request(&request);
    } else if (rank == root && root != 0) {
        MPI_Irecv(p->state, (int)p->count, p->type, 0, LAYER_TAG, MPI_COMM_WORLD, &request);
        waiting_request(&request);
    } else if (rank == 0) {
        int size;
        MPI_Type_size(p->type, &size);
        memcpy(p->state, p->result, p->count * (size_t)size);
    }
}

/* The arrays of a layer: those of this rank's state where its stage has the layer, and of rank 0's scratch. */
static struct piece piece_of(const struct merge *m, size_t layer, const struct accumulator *scratch, int series)
{
    const struct grid *g = m->grid;
    bool own = layer >= g->layers.first && layer < g->layers.first + g->layers.count, facts = series == SERIES_COUNT;
    struct piece p = {.count = facts ? 1 : m->state->blocks, .type = facts ? m->facts : m->block,
                      .op = facts ? m->add_facts : m->add_blocks};
    size_t at = layer - g->layers.first;
    if (own)
        p.state = facts ? (void *)&m->state->layer[at] : accumulator_blocks(m->state, at, (enum series)series);
    if (scratch)
        p.result = facts ? (void *)scratch->layer : accumulator_blocks(scratch, 0, (enum series)series);
    return p;
}

void merge_layer(struct merge *m, size_t layer, struct accumulator *into)
{
    size_t stage = stage_of(m->grid, layer);
    for (int series = 0; series <= SERIES_COUNT; series++) {
        struct piece p = piece_of(m, layer, into, series);
        gather(m, stage, &p);
    }
}

void merge_hand_out(struct merge *m, size_t layer, const struct accumulator *from)
{
    size_t stage = stage_of(m->grid, layer);
    for (int series = 0; series <= SERIES_COUNT; series++) {
        struct piece p = piece_of(m, layer, from, series);
        hand_out(m, stage, &p);
    }
}
