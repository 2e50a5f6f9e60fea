// Two messages are there when one is received from anybody: no mistake, but another run may take the other one first.
// ranks: 3
// engines: local
// run: --check
// stderr: rankine: check: nothing found
// stderr: rankine: check: no mistake, but another run may have another result:
// stderr: a receive from any source could have got another message (MPI-5.0 section 3.5)
// stderr: received by rank 0 at
// stderr: sent by rank 1 at | sent by rank 2 at
// stderr: also sent, and not yet received, by rank
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, number;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank != 0)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int from = 1; rank == 0 && from < 3; from++)
        MPI_Recv(&number, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 0)
        printf("OK\n");
    MPI_Finalize();
    return 0;
}
