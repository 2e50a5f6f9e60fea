// With --no-deadlock-check a deadlock waits, here until the time is up.
// ranks: 1 3
// run: --timeout 1 --no-deadlock-check
// exit: nonzero
// stderr: its time limit
// stderr-not: deadlock
#include <mpi.h>

int main(int argc, char **argv)
{
    int in;
    MPI_Init(&argc, &argv);
    MPI_Recv(&in, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
