// A single rank that receives from itself what it never sent.
// engines: local
// ranks: 1
// exit: 3
// stderr: deadlock
// stderr: MPI_Waitall | MPI_Wait
#include <mpi.h>

int main(int argc, char **argv)
{
    int in[2];
    MPI_Request requests[2];
    MPI_Init(&argc, &argv);
    MPI_Irecv(&in[0], 1, MPI_INT, 0, 1, MPI_COMM_SELF, &requests[0]);
    MPI_Irecv(&in[1], 1, MPI_INT, 0, 2, MPI_COMM_SELF, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Finalize();
    return 0;
}
