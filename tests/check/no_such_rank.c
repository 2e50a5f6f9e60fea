// A neighbour beyond the last rank.
// ranks: 2 3
// engines: local
// run: --check
// exit: 5
// stderr: but the communicator has ranks 0 to
// stderr: (MPI_ERR_RANK)
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int number = 0;
    MPI_Send(&number, 1, MPI_INT, rank + 1, 0, MPI_COMM_WORLD);
    MPI_Recv(&number, 1, MPI_INT, rank + size - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return MPI_Finalize();
}
