// A loop that fills the next block where the last one is still being sent.
// ranks: 2
// engines: local
// run: --check
// exit: 4
// stderr: the buffer of a send is changed before the send is complete
// stderr: MPI_Issend(
// stderr: send_buffer_changed.c:
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int block[1000] = {0};
    MPI_Request request;
    if (rank == 0) {
        MPI_Issend(block, 1000, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        for (int at = 0; at < 1000; at++)
            block[at] = at;
        MPI_Barrier(MPI_COMM_WORLD);
    } else {
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Irecv(block, 1000, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return MPI_Finalize();
}
