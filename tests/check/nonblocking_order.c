// Nonblocking collectives that ranks start in different orders.
// ranks: 2 3
// engines: local
// run: --check
// exit: 3
// stderr: ranks of a communicator call different collectives
// stderr: MPI_Iallreduce(
// stderr: nonblocking_order.c:
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int number = 1, sum;
    MPI_Request requests[2];
    if (rank == 0) {
        MPI_Ibcast(&number, 1, MPI_INT, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[1]);
    } else {
        MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[1]);
        MPI_Ibcast(&number, 1, MPI_INT, 0, MPI_COMM_WORLD, &requests[0]);
    }
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    return MPI_Finalize();
}
