// ranks: 1 2
// exit: nonzero
// stderr: MPI_Finalize | finali
// stderr-not: panicked
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Finalize();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return 0;
}
