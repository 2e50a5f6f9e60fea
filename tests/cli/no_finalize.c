// A rank that returns without MPI_Finalize is named, and its status counts.
// ranks: 1 2 4
// exit: 5
// stderr: without MPI_Finalize
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == size - 1)
        return 5;
    MPI_Finalize();
    return 0;
}
