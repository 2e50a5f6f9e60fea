// Those that wait for a rank that has called `exit` do not hang.
// engines: local
// ranks: 2 3 8
// exit: nonzero
// stderr: rank 1
// stderr: without MPI_Finalize
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, in;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1)
        exit(0);
    if (rank == 0)
        MPI_Recv(&in, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
