// A rank that ends well but without MPI_Finalize is named; its status is 0, as over other MPI libraries.
// ranks: 1 2
// stderr: ended without MPI_Finalize
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        puts("OK");
    if (rank == size - 1)
        exit(0);
    MPI_Finalize();
    return 0;
}
