// A barrier in a branch that not every rank takes.
// ranks: 2 3
// engines: local
// run: --check
// exit: nonzero
// stderr: ranks of a communicator call different collectives
// stderr: MPI_Barrier(
// stderr: MPI_Bcast(
// stderr: barrier_in_a_branch.c:
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int number = 0;
    if (rank == 0)
        MPI_Barrier(MPI_COMM_WORLD);
    MPI_Bcast(&number, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return MPI_Finalize();
}
