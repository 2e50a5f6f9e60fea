// Both receive first.
// ranks: 2
// engines: local
// run: --check
// exit: 3
// stderr: rankine: deadlock: every rank waits and no message is under way
// stderr: rank 1 waits in MPI_Recv: a message from rank 0
// stderr: both_receive.c:
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int number = 0;
    MPI_Recv(&number, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&number, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
    return MPI_Finalize();
}
