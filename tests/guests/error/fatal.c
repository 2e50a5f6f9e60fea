// Errors are fatal unless a program says otherwise: the job ends with a status
// of its own, and the report names the function, the value and the rank.
// ranks: 1 4
// native: no (the status is a library's own)
// exit: 5
// stderr: MPI_Send
// stderr: 4321
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int value = 0, rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == size - 1)
        MPI_Send(&value, 1, MPI_INT, 4321, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    puts("not reached");
    MPI_Finalize();
    return 0;
}
