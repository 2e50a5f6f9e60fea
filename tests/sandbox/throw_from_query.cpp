// An exception that leaves a function of a generalised request.
// ranks: 1 2
// exit: 134
// stderr: an exception left a callback of MPI (MPI_Wait
// stderr-not: deadlock
#include <mpi.h>

static int query(void *, MPI_Status *)
{
    throw 1;
}

static int done(void *)
{
    return MPI_SUCCESS;
}

static int cancel(void *, int)
{
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Grequest_start(query, done, cancel, nullptr, &request);
    MPI_Grequest_complete(request);
    try {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } catch (...) {
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
}
