// Both receive first: nobody will ever send. Reported at once, with what each rank waits for and where.
// engines: local
// ranks: 2
// exit: 3
// stderr: deadlock
// stderr: rank 0
// stderr: rank 1
// stderr: MPI_Recv
// stderr: tag 42
// stderr: MPI_COMM_WORLD
// stderr: deadlock_receive.c:21
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, in = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    // The line of this call is in the report.
    MPI_Recv(&in, 1, MPI_INT, 1 - rank, 42, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&rank, 1, MPI_INT, 1 - rank, 42, MPI_COMM_WORLD);
    puts("not reached");
    MPI_Finalize();
    return 0;
}
