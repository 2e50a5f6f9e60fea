// A minimum on one rank, a maximum on the others.
// ranks: 2 4
// engines: local
// run: --check
// exit: 4
// stderr: ranks name different operations of a collective
// stderr: MPI_MIN in rank 1
// stderr: reduce_operations.c:
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double value = rank, best;
    MPI_Reduce(&value, &best, 1, MPI_DOUBLE, rank == 1 ? MPI_MIN : MPI_MAX, 0, MPI_COMM_WORLD);
    return MPI_Finalize();
}
