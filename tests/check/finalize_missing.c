// A rank returns from main without MPI_Finalize.
// ranks: 2
// engines: local
// run: --check
// exit: 4
// stderr: MPI_Finalize is missing (MPI-5.0 section 11.2.2)
// stderr: begun by rank 1 at
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank != 1)
        MPI_Finalize();
    return 0;
}
