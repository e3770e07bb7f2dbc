/* merge.c - user-defined reductions over blocks and layers; see merge.h. */
#include "merge.h"

#include <mpi.h>
#include <stdbool.h>

static void merge_blocks(void *in, void *inout, int *count, MPI_Datatype *type)
{
    const struct accumulator_block *from = in;
    struct accumulator_block *into = inout;
    (void)type;
    for (int i = 0; i < *count; i++)
        accumulator_block_merge(&into[i], &from[i]);
}

static void merge_layers(void *in, void *inout, int *count, MPI_Datatype *type)
{
    const struct accumulator_layer *from = in;
    struct accumulator_layer *into = inout;
    (void)type;
    for (int i = 0; i < *count; i++)
        accumulator_layer_merge(&into[i], &from[i]);
}

/* `values` become the sum on all ranks, or `into` on rank 0 while they stay. */
static void reduce(void *values, void *into, bool everywhere, size_t count, size_t size, MPI_User_function *merge)
{
    MPI_Datatype record;
    MPI_Op op;
    MPI_Type_contiguous((int)size, MPI_BYTE, &record);
    MPI_Type_commit(&record);
    MPI_Op_create(merge, 1, &op);
    if (everywhere)
        MPI_Allreduce(MPI_IN_PLACE, values, (int)count, record, op, MPI_COMM_WORLD);
    else
        MPI_Reduce(values, into, (int)count, record, op, 0, MPI_COMM_WORLD);
    MPI_Op_free(&op);
    MPI_Type_free(&record);
}

void merge_ranks(struct accumulator *state)
{
    for (size_t layer = 0; layer < state->layers; layer++)
        for (int s = 0; s < SERIES_COUNT; s++)
            reduce(accumulator_blocks(state, layer, (enum series)s), NULL, true, state->blocks,
                   sizeof(struct accumulator_block), merge_blocks);
    reduce(state->layer, NULL, true, state->layers, sizeof(struct accumulator_layer), merge_layers);
}

void merge_layer(const struct accumulator *state, size_t layer, struct accumulator *into)
{
    for (int s = 0; s < SERIES_COUNT; s++)
        reduce(accumulator_blocks(state, layer, (enum series)s),
               into ? accumulator_blocks(into, 0, (enum series)s) : NULL, false, state->blocks,
               sizeof(struct accumulator_block), merge_blocks);
    reduce(&state->layer[layer], into ? into->layer : NULL, false, 1, sizeof(struct accumulator_layer), merge_layers);
}
