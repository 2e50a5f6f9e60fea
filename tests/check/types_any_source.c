// Receives from anybody, whose statuses are ignored: which message each has got is known all the same.
// ranks: 3
// engines: local
// run: --check
// exit: 4
// stderr: rankine: check: 1 finding
// stderr: sent by rank 2 at
// stderr: datatype=MPI_UNSIGNED, dest=0, tag=8
// stderr-not: never received
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, numbers[2];
    unsigned whole = 7;
    MPI_Request requests[2];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        for (int from = 1; from < 3; from++)
            MPI_Irecv(&numbers[from - 1], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[from - 1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
        for (int from = 1; from < 3; from++)
            MPI_Recv(numbers, 1, MPI_INT, MPI_ANY_SOURCE, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 1)
            MPI_Send(&rank, 1, MPI_INT, 0, 8, MPI_COMM_WORLD);
        else
            MPI_Send(&whole, 1, MPI_UNSIGNED, 0, 8, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
