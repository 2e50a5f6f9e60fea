// The root of a gather wants more of each rank than they send.
// ranks: 2 3
// engines: local
// run: --check
// exit: 5
// stderr: ranks name different amounts or types of data in a collective
// stderr: what rank 0 sends to itself and receives: the one has 1 basic elements, the other 2
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int number = rank, numbers[8];
    MPI_Gather(&number, 1, MPI_INT, numbers, 2, MPI_INT, 0, MPI_COMM_WORLD);
    return MPI_Finalize();
}
