// Nonblocking, a double is received where two ints were sent.
// ranks: 2
// engines: local
// run: --check
// exit: 4
// stderr: a message is received as another type than it was sent as
// stderr: element 0 is a 4-byte integer in the one and an 8-byte floating-point number in the other
// stderr: isend_irecv_types.c:
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int numbers[2] = {1, 2};
    double real;
    MPI_Request request;
    if (rank == 0)
        MPI_Isend(numbers, 2, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
    else
        MPI_Irecv(&real, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return MPI_Finalize();
}
