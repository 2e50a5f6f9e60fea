// Bits of floating-point numbers.
// ranks: 2
// engines: local
// run: --check
// exit: 5
// stderr: MPI_BAND is not defined on MPI_DOUBLE (MPI_ERR_OP)
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    double value = 1, all;
    MPI_Allreduce(&value, &all, 1, MPI_DOUBLE, MPI_BAND, MPI_COMM_WORLD);
    return MPI_Finalize();
}
