// Persistent requests that are started and completed, and never freed.
// ranks: 2
// engines: local
// run: --check
// exit: 4
// stderr: rankine: check: 2 findings
// stderr: something is made and never freed, or started and never completed
// stderr: MPI_Recv_init(
// stderr: freed by MPI_Request_free
// stderr: persistent_left.c:
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int number = 0;
    MPI_Request request;
    if (rank == 0)
        MPI_Send_init(&number, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
    else
        MPI_Recv_init(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return MPI_Finalize();
}
