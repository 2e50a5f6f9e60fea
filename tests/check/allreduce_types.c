// A sum of ints on one rank and of floats on the others.
// ranks: 2 4
// engines: local
// run: --check
// exit: 4
// stderr: ranks name different amounts or types of data in a collective
// stderr: a 4-byte floating-point number in the other
// stderr: allreduce_types.c:
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int one = 1, sum;
    MPI_Allreduce(&one, &sum, 1, rank == 0 ? MPI_INT : MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    return MPI_Finalize();
}
