// MPI_Abort ends the whole job with its code, while every other rank waits.
// ranks: 1 2 3 4 8
// exit: 7
#include "../check.h"

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    if (rank == size - 1)
        MPI_Abort(MPI_COMM_WORLD, 7);
    MPI_Barrier(MPI_COMM_WORLD);
    int never;
    MPI_Recv(&never, 1, MPI_INT, MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return 0;
}
