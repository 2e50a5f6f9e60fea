// A job that has exchanged messages and then ends in one of the ways that are none of MPI's.
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, theirs;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Sendrecv(&rank, 1, MPI_INT, !rank, 0, &theirs, 1, MPI_INT, !rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    puts("asked");
    fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0 && strcmp(argv[1], "trap") == 0)
        __builtin_trap();
    if (rank == 0 && strcmp(argv[1], "abort") == 0)
        MPI_Abort(MPI_COMM_WORLD, 3);
    if (rank == 0)
        _exit(5);
    MPI_Recv(&theirs, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
