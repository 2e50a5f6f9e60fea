// Two receives into the same element, and a send from what is being received.
// ranks: 2
// engines: local
// run: --check
// exit: 4
// stderr: rankine: check: 2 findings
// stderr: a buffer overlaps that of an operation under way, and one of them is received into (MPI-5.0 section 3.7.2)
// stderr: under way of rank 1 at
// stderr: used by rank 1 at
// stderr: MPI_Ssend(
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, numbers[3] = {0};
    MPI_Request requests[2];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1) {
        MPI_Irecv(numbers, 2, MPI_INT, 0, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(numbers + 1, 2, MPI_INT, 0, 1, MPI_COMM_WORLD, &requests[1]);
        MPI_Ssend(numbers, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    } else {
        MPI_Recv(numbers, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(numbers, 2, MPI_INT, 1, 0, MPI_COMM_WORLD);
        MPI_Send(numbers, 2, MPI_INT, 1, 1, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
