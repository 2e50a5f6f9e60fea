// A halo is sent as bytes and received as doubles.
// ranks: 2 3
// engines: local
// run: --check
// exit: 4
// stderr: a message is received as another type than it was sent as
// stderr: a byte without meaning (MPI_BYTE) in the one
// stderr: sendrecv_types.c:
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double sent[4] = {1}, got[4];
    MPI_Sendrecv(sent, sizeof sent, MPI_BYTE, (rank + 1) % size, 0, got, 4, MPI_DOUBLE, (rank + size - 1) % size, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return MPI_Finalize();
}
