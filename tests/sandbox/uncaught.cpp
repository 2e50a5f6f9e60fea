// An exception that nothing catches is a trap of its rank, not a failure of the host.
// ranks: 1 2
// exit: 134
// stderr: trapped
// stderr-not: deadlock
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    throw 1;
}
