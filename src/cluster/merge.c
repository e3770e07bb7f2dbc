/* merge.c - user-defined reductions over blocks and layers; see merge.h. */
#include "merge.h"

#include <mpi.h>

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

static void reduce(void *values, size_t count, size_t size, MPI_User_function *merge)
{
    MPI_Datatype record;
    MPI_Op op;
    MPI_Type_contiguous((int)size, MPI_BYTE, &record);
    MPI_Type_commit(&record);
    MPI_Op_create(merge, 1, &op);
    MPI_Allreduce(MPI_IN_PLACE, values, (int)count, record, op, MPI_COMM_WORLD);
    MPI_Op_free(&op);
    MPI_Type_free(&record);
}

void merge_ranks(struct accumulator *state)
{
    for (size_t layer = 0; layer < state->layers; layer++)
        for (int s = 0; s < SERIES_COUNT; s++)
            reduce(accumulator_blocks(state, layer, (enum series)s), state->blocks, sizeof(struct accumulator_block),
                   merge_blocks);
    reduce(state->layer, state->layers, sizeof(struct accumulator_layer), merge_layers);
}
