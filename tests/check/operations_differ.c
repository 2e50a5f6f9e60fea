// One rank asks for the maximum, the others for the sum.
// ranks: 2 4
// engines: local
// run: --check
// exit: 4
// stderr: ranks name different operations of a collective
// stderr: MPI_MAX in rank 0; MPI_SUM in rank
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, number = 1, result;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allreduce(&number, &result, 1, MPI_INT, rank == 0 ? MPI_MAX : MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
