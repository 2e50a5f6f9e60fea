// One rank leaves early, without MPI_Finalize.
// ranks: 2 3
// engines: local
// run: --check
// exit: 4
// stderr: MPI_Finalize is missing
// stderr: begun by rank
// stderr: finalize_skipped.c:
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == size - 1)
        return 0;
    return MPI_Finalize();
}
