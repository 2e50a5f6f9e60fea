// MPI_ERRORS_ABORT as a handler: an error ends the job, with the status of a fatal error.
// ranks: 1 4
// native: no (the status is a library's own)
// exit: 5
// stderr: MPI_Recv
#include <mpi.h>

int main(int argc, char **argv)
{
    int value = 0, rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ABORT);
    if (rank == 0)
        MPI_Recv(&value, 1, MPI_INT, -77, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
