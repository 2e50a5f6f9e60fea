// A put outside of every epoch.
// ranks: 2
// engines: local
// run: --check
// exit: 5
// stderr: is accessed outside of an epoch (MPI_ERR_RMA_SYNC)
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int number = 0, value = 1;
    MPI_Win win;
    MPI_Win_create(&number, sizeof number, sizeof number, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Put(&value, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, win);
    MPI_Win_free(&win);
    return MPI_Finalize();
}
