// A request is written over by the next one.
// ranks: 2
// engines: local
// run: --check
// exit: 4
// stderr: rankine: check: 2 findings
// stderr: something is made and never freed, or started and never completed
// stderr: a request, to be completed by MPI_Wait
// stderr: request_written_over.c:
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    static int numbers[2];
    MPI_Request request;
    for (int at = 0; at < 2; at++)
        if (rank == 0)
            MPI_Isend(&numbers[at], 1, MPI_INT, 1, at, MPI_COMM_WORLD, &request);
        else
            MPI_Irecv(&numbers[at], 1, MPI_INT, 0, at, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return MPI_Finalize();
}
