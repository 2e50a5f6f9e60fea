// One rank calls a broadcast where the other calls a barrier, which gets what it does not expect: the check says why.
// ranks: 2
// engines: local
// run: --check
// exit: nonzero
// stderr: ranks of a communicator call different collectives (MPI-5.0 section 6.14)
// stderr: MPI_Bcast in rank 0; MPI_Barrier in rank 1
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, number = 1;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Bcast(&number, 1, MPI_INT, 0, MPI_COMM_WORLD);
    else
        MPI_Barrier(MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
