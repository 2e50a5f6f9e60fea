// A count that is negative.
// ranks: 2
// engines: local
// run: --check
// exit: 5
// stderr: count is -1, which is negative (MPI_ERR_COUNT)
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int number = 0;
    MPI_Send(&number, -1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
    return MPI_Finalize();
}
