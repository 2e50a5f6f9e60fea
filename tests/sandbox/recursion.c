// Infinite recursion is a trap of its rank: the stack of the host is not the guest's.
// ranks: 1 2 8
// exit: 134
// stderr: rank
// stderr: stack | out of bounds | unreachable
#include <mpi.h>

__attribute__((noinline)) static long sink(long n, volatile long *seen)
{
    *seen = n;
    return 1 + sink(n + 1, seen) + *seen;
}

int main(int argc, char **argv)
{
    volatile long seen = 0;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        seen = sink(0, &seen);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return (int)seen;
}
