// A rank waits for others that have ended properly: they are named.
// engines: local
// ranks: 6
// exit: 3
// stderr: rank 0 waits in MPI_Recv: a message from rank 5
// stderr: ranks 1 to 3 and 5 have ended after MPI_Finalize
// stderr-not: without MPI_Finalize
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, in;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank % 4 == 0)
        MPI_Recv(&in, 1, MPI_INT, 5, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
