// A collective that only the root calls.
// ranks: 2 3
// engines: local
// run: --check
// exit: 3
// stderr: waits in MPI_Reduce
// stderr: has ended after MPI_Finalize | have ended after MPI_Finalize
// stderr: one_rank_reduces.c:
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int one = 1, sum;
    if (rank == 0)
        MPI_Reduce(&one, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    return MPI_Finalize();
}
