// A fatal error whose class is a small number (MPI_ERR_TYPE is 3) ends the job as any other does, and not as a deadlock.
// ranks: 1 4
// native: no (the status is a library's own)
// exit: 5
// stderr: MPI_ERR_TYPE
// stderr-not: deadlock
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int value = 0, rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == size - 1)
        MPI_Send(&value, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    puts("not reached");
    MPI_Finalize();
    return 0;
}
