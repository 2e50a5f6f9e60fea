// A trap in one rank ends the job at once: the rank, the cause and the source line are told.
// ranks: 1 2 4 8
// exit: 134
// stderr: rank 0
// stderr: unreachable
// stderr: trap.c:12 | trap.c:13
// stderr: collapse
#include <mpi.h>

__attribute__((noinline)) static void collapse(volatile int *depth)
{
    if (*depth == 0)
        __builtin_trap();
    *depth -= 1;
    collapse(depth);
}

int main(int argc, char **argv)
{
    int rank;
    volatile int depth = 3;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        collapse(&depth);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
