// A request that was only asked for its status, and found incomplete: its buffer is still in use.
// ranks: 2
// engines: local
// run: --check
// exit: 4
// stderr: the buffer of a send is changed before the send is complete
// stderr: MPI_Issend(
// stderr: get_status_changed.c:
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int number = 0, flag = 1;
    MPI_Request request = MPI_REQUEST_NULL;
    if (rank == 0) {
        MPI_Issend(&number, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        MPI_Request_get_status_all(1, &request, &flag, MPI_STATUSES_IGNORE);
        number = flag ? 0 : 7;
        MPI_Barrier(MPI_COMM_WORLD);
    } else {
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Irecv(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return MPI_Finalize();
}
