// An exception that leaves the error handler of a call that may wait.
// ranks: 1 2
// exit: 134
// stderr: an exception left a callback of MPI (MPI_Recv
// stderr-not: deadlock
#include <mpi.h>

static void handler(MPI_Comm *, int *, ...)
{
    throw 1;
}

int main(int argc, char **argv)
{
    MPI_Errhandler errors;
    int value[2] = {0, 0}, shorter = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_create_errhandler(handler, &errors);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, errors);
    MPI_Request request;
    MPI_Isend(value, 2, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
    try {
        MPI_Recv(&shorter, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    } catch (int) {
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
}
