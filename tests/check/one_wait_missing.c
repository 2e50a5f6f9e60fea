// Of several requests the last is forgotten.
// ranks: 2
// engines: local
// run: --check
// exit: 4
// stderr: something is made and never freed, or started and never completed
// stderr: tag=2, comm=MPI_COMM_WORLD
// stderr: a request, to be completed by MPI_Wait
// stderr: one_wait_missing.c:
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    static int sent[3], got[3];
    MPI_Request requests[6];
    for (int at = 0; at < 3; at++) {
        MPI_Irecv(&got[at], 1, MPI_INT, 1 - rank, at, MPI_COMM_WORLD, &requests[at]);
        MPI_Isend(&sent[at], 1, MPI_INT, 1 - rank, at, MPI_COMM_WORLD, &requests[3 + at]);
    }
    MPI_Waitall(5, requests, MPI_STATUSES_IGNORE);
    return MPI_Finalize();
}
