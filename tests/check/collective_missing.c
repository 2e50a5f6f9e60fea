// A reduction that the root alone does not call: the others have sent their part, and go on.
// ranks: 2 4
// engines: local
// run: --check
// exit: 4
// stderr: a collective is not called by all ranks of its communicator
// stderr: ranks have called it
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, number = 1, sum;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1)
        MPI_Reduce(&number, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
