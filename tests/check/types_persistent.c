// Persistent requests: the types are those of the calls that made them.
// ranks: 2
// engines: local
// run: --check
// exit: 4
// stderr: section 3.3.1), 2 times
// stderr: MPI_Send_init(
// stderr: MPI_Recv_init(
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, number = 0;
    float real;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Send_init(&number, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
    else
        MPI_Recv_init(&real, 1, MPI_FLOAT, 0, 0, MPI_COMM_WORLD, &request);
    for (int turn = 0; turn < 2; turn++) {
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);
    MPI_Finalize();
    return 0;
}
