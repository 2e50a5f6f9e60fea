// MPI_Probe and MPI_Mprobe of messages that never come.
// engines: local
// ranks: 2
// exit: 3
// stderr: deadlock
// stderr: MPI_Probe
// stderr: MPI_Mprobe
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Message message;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
        MPI_Mprobe(0, 3, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
