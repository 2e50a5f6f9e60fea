// Large messages in both directions, sent before either is received: a program's own deadlock, which smaller messages hide.
// engines: local
// ranks: 2
// exit: 3
// stderr: deadlock
// stderr: MPI_Send
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    enum { COUNT = 1 << 22 };
    int rank, *out = calloc(COUNT, sizeof *out), *in = calloc(COUNT, sizeof *in);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Send(out, COUNT, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
    MPI_Recv(in, COUNT, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
