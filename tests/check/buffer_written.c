// The buffer of a receive is set to zero before the message has come.
// ranks: 2
// engines: local
// run: --check
// exit: 4
// stderr: rankine: check: 1 finding
// stderr: the buffer of a receive is written to before the receive is complete (MPI-5.0 section 3.7.2)
// stderr: posted by rank 1 at
// stderr: noticed by rank 1 at
#include <mpi.h>
#include <stddef.h>

int main(int argc, char **argv)
{
    int rank, number = 7;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1) {
        MPI_Irecv(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
        *(volatile int *)&number = 0;
        // The message comes only now.
        MPI_Send(NULL, 0, MPI_INT, 0, 1, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(NULL, 0, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&number, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
