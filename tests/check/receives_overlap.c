// Two receives into blocks that share an element.
// ranks: 2
// engines: local
// run: --check
// exit: 4
// stderr: a buffer overlaps that of an operation under way
// stderr: MPI_Irecv(
// stderr: receives_overlap.c:
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int numbers[7] = {0};
    MPI_Request requests[2];
    for (int at = 0; at < 2; at++)
        if (rank == 0)
            MPI_Isend(&numbers[4 * at % 4], 3, MPI_INT, 1, at, MPI_COMM_WORLD, &requests[at]);
        else
            MPI_Irecv(&numbers[at * 3], 4, MPI_INT, 0, at, MPI_COMM_WORLD, &requests[at]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    return MPI_Finalize();
}
