// A rank that exits in the middle of a collective: the others are told, and do not hang.
// ranks: 2 4 8
// exit: nonzero
// stderr: rank 1
#include <mpi.h>
#include <stdlib.h>

static void leave(void *in, void *inout, int *count, MPI_Datatype *type)
{
    int rank;
    (void)in;
    (void)inout;
    (void)count;
    (void)type;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1)
        exit(9);
}

int main(int argc, char **argv)
{
    int value = 1, sum, rank;
    MPI_Op op;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Op_create(leave, 1, &op);
    MPI_Allreduce(&value, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
    if (rank == 1)
        exit(9);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
