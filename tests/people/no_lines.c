// A program without lines: what a report says of a trap, an error and a deadlock ends with how to have them, once.
// ranks: 1 2
// engines: local
// cc: -g0
// each: trap error deadlock
// exit: nonzero
// stderr: compile with -g for lines
#include <mpi.h>
#include <string.h>

int main(int argc, char **argv)
{
    int rank, number = 0;
    const char *way = argv[argc - 1];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (strcmp(way, "trap") == 0)
        __builtin_trap();
    if (strcmp(way, "error") == 0)
        MPI_Send(&number, 1, MPI_INT, 77, 0, MPI_COMM_WORLD);
    MPI_Recv(&number, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return MPI_Finalize();
}
