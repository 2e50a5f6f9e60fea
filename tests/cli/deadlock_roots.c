// Every rank gathers for itself: the first line says that they name different roots.
// engines: local
// ranks: 2 3
// exit: 3
// stderr: deadlock: ranks of pair are not in the same collective: rank 0 in MPI_Gather with root 0, rank 1 in MPI_Gather with root 1
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, all[64];
    MPI_Comm pair;
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &pair);
    MPI_Comm_set_name(pair, "pair");
    MPI_Comm_rank(pair, &rank);
    MPI_Gather(&rank, 1, MPI_INT, all, 1, MPI_INT, rank, pair);
    MPI_Finalize();
    return 0;
}
