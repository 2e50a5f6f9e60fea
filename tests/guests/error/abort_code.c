// MPI_Abort keeps the program's own code, also one that is the class of an error or the status of another ending.
// ranks: 1 4
// native: no (a launcher may make a status of its own)
// exit: 3
// stderr: aborted the job with code 3
// stderr-not: deadlock
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == size - 1)
        MPI_Abort(MPI_COMM_WORLD, 3);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
