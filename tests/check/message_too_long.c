// A message that is longer than the buffer for it.
// ranks: 2
// engines: local
// run: --check
// exit: 5
// stderr: a message of 16 bytes from rank 0 with tag 0 does not fit into a buffer of 8 bytes (MPI_ERR_TRUNCATE)
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int numbers[4] = {0};
    if (rank == 0)
        MPI_Send(numbers, 4, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(numbers, 2, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return MPI_Finalize();
}
