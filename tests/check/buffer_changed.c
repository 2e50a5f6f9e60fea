// A number is changed while it is being sent; with so few bytes the right one arrives all the same.
// ranks: 2
// engines: local
// run: --check
// exit: 4
// stderr: rankine: check: 1 finding
// stderr: the buffer of a send is changed before the send is complete (MPI-5.0 section 3.7.2)
// stderr: started by rank 0 at
// stderr: MPI_Isend(
// stderr: completed by rank 0 at
// stderr: MPI_Waitall(
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, numbers[4] = {1, 2, 3, 4};
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Isend(numbers, 2, MPI_INT, 1, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(numbers + 2, 2, MPI_INT, 1, 1, MPI_COMM_WORLD, &requests[1]);
        numbers[3] = 5;
    } else {
        MPI_Irecv(numbers, 2, MPI_INT, 0, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(numbers + 2, 2, MPI_INT, 0, 1, MPI_COMM_WORLD, &requests[1]);
    }
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Finalize();
    return 0;
}
