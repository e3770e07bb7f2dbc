/* main.c - start and end of the process (placeholder). */
#include <mpi.h>
#include <stdio.h>

#include "build_id.h"

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    printf("phi3sat %s\n", BUILD_ID);
    MPI_Finalize();
    return 0;
}
