// The root broadcasts floats, the others wait for ints.
// ranks: 2 4
// engines: local
// run: --check
// exit: 4
// stderr: ranks name different amounts or types of data in a collective
// stderr: element 0 is a 4-byte floating-point number in the one and a 4-byte integer in the other
// stderr: bcast_types.c:
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int numbers[4] = {0};
    MPI_Bcast(numbers, 4, rank == 0 ? MPI_FLOAT : MPI_INT, 0, MPI_COMM_WORLD);
    return MPI_Finalize();
}
