// Roots of a nonblocking broadcast that differ.
// ranks: 2 3
// engines: local
// run: --check
// exit: 4
// stderr: ranks name different roots of a collective
// stderr: MPI_Ibcast(
// stderr: ibcast_roots.c:
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int number = rank;
    MPI_Request request;
    MPI_Ibcast(&number, 1, MPI_INT, rank == 0 ? 0 : 1, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return MPI_Finalize();
}
