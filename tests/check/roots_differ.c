// Every rank takes itself to be the root.
// ranks: 2 4
// engines: local
// run: --check
// exit: 4
// stderr: ranks name different roots of a collective (MPI-5.0 section 6.1)
// stderr: 0 in rank 0; 1 in rank 1
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, number = 1;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Bcast(&number, 1, MPI_INT, rank, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
