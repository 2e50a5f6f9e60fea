// A float is received where an int was sent.
// ranks: 2
// engines: local
// run: --check
// cc: -g
// exit: 4
// stderr: rankine: check: 1 finding
// stderr: a message is received as another type than it was sent as (MPI-5.0 section 3.3.1), 3 times
// stderr: sent by rank 0 at main (
// stderr: count=2, datatype=MPI_INT, dest=1, tag=0, comm=MPI_COMM_WORLD)
// stderr: received by rank 1 at main (
// stderr: types_differ.c:26:13):
// stderr: datatype=MPI_FLOAT, source=0, tag=0, comm=MPI_COMM_WORLD, status=MPI_STATUS_IGNORE)
// stderr: element 0 is a 4-byte integer in the one and a 4-byte floating-point number in the other
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, numbers[2] = {1, 2};
    float floats[4];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int tag = 0; tag < 3; tag++) {
        if (rank == 0)
            MPI_Send(numbers, 2, MPI_INT, 1, tag, MPI_COMM_WORLD);
        else
            MPI_Recv(floats, 4, MPI_FLOAT, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
