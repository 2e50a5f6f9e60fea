// The message has come, but with another tag than the one waited for: the report says with which.
// engines: local
// ranks: 2 3
// exit: 3
// stderr: deadlock
// stderr: a message from rank 0 with tag 8 in MPI_COMM_WORLD; rank 0 has sent tag 7, not received
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, in;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Send(&rank, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
    if (rank == 1)
        MPI_Recv(&in, 1, MPI_INT, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
