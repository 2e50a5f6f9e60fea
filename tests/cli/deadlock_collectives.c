// Rank 0 gathers what the others want to have from it: the first line says who is in which collective.
// engines: local
// ranks: 2 4 8
// exit: 3
// stderr: rankine: deadlock: ranks of MPI_COMM_WORLD are not in the same collective: rank 0 in MPI_Gather, rank
// stderr: in MPI_Bcast (--check
// stderr: rank 0 waits in MPI_Gather: rank
// stderr: in a collective of MPI_COMM_WORLD, called by main
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, mine = 1, all[64];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Gather(&mine, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
    else
        MPI_Bcast(&mine, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
