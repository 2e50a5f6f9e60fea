// MPI before MPI_Init, and after MPI_Finalize: an end with a reason, not a crash.
// ranks: 1 2
// exit: nonzero
// stderr: MPI_Init | before | initiali
// stderr-not: panicked
#include <mpi.h>

int main(void)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return 0;
}
