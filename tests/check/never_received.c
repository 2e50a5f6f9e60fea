// A message with a tag that nobody asks for.
// ranks: 2 3
// engines: local
// run: --check
// exit: 4
// stderr: rankine: check: 1 finding
// stderr: a message is never received
// stderr: sent by rank 0 at
// stderr: dest=1, tag=11
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, number = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Send(&number, 1, MPI_INT, 1, 11, MPI_COMM_WORLD);
        MPI_Send(&number, 1, MPI_INT, 1, 12, MPI_COMM_WORLD);
    }
    if (rank == 1)
        MPI_Recv(&number, 1, MPI_INT, MPI_ANY_SOURCE, 12, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
