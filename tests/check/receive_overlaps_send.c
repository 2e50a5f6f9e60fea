// A value is received where it is still sent from.
// ranks: 2 3
// engines: local
// run: --check
// exit: 4
// stderr: a buffer overlaps that of an operation under way
// stderr: MPI_Isend(
// stderr: receive_overlaps_send.c:
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int number = rank;
    MPI_Request requests[2];
    MPI_Irecv(&number, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&number, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    return MPI_Finalize();
}
