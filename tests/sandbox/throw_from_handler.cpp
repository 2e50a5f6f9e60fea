// An exception that leaves an error handler, of a call that never waits. The message tells that call, though the handler
// has made another one since.
// ranks: 1 2
// exit: 134
// stderr: an exception left a callback of MPI (MPI_Isend
// stderr-not: deadlock
#include <mpi.h>

static void handler(MPI_Comm *comm, int *, ...)
{
    int rank;
    MPI_Comm_rank(*comm, &rank);
    throw rank;
}

int main(int argc, char **argv)
{
    MPI_Errhandler errors;
    MPI_Request request;
    int value = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_create_errhandler(handler, &errors);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, errors);
    try {
        MPI_Isend(&value, 1, MPI_INT, 77, 0, MPI_COMM_WORLD, &request);
    } catch (int) {
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
}
