// Ranks wait in different collectives, and rightly so: rank 0 has left the first. Rank 8 is missing there, through which the
// data goes to others. It isn't said that the collectives differ.
// engines: local
// ranks: 16
// exit: 3
// stderr: rankine: deadlock: every rank waits and no message is under way
// stderr: rank 0 waits in MPI_Reduce
// stderr: rank 8 waits in MPI_Recv
// stderr: rank 9 waits in MPI_Bcast
// stderr-not: the same collective
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, in = 0, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 8)
        MPI_Recv(&in, 1, MPI_INT, 2, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Bcast(&in, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Reduce(&in, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
