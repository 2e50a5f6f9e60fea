// One rank misses the barrier: it waits for a message of one that waits in it.
// engines: local
// ranks: 2 3 4 8 64
// exit: 3
// stderr: deadlock
// stderr: MPI_Barrier
// stderr: MPI_Recv
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, in;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Recv(&in, 1, MPI_INT, 1, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
