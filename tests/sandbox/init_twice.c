// ranks: 1 2
// exit: nonzero
// stderr: MPI_Init
// stderr-not: panicked
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Init(&argc, &argv);
    MPI_Finalize();
    return 0;
}
