// A send that nobody waits for.
// ranks: 2
// engines: local
// run: --check
// exit: 4
// stderr: something is made and never freed, or started and never completed
// stderr: a request, to be completed by MPI_Wait
// stderr: wait_missing.c:
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    static int number;
    MPI_Request request;
    if (rank == 0)
        MPI_Isend(&number, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
    else
        MPI_Recv(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return MPI_Finalize();
}
