// An exception that leaves an operation, in the midst of a reduction over all ranks.
// ranks: 2 4
// exit: 134
// stderr: an exception left a callback of MPI (MPI_Allreduce
// stderr-not: deadlock
#include <mpi.h>

static void operation(void *, void *, int *, MPI_Datatype *)
{
    throw 1;
}

int main(int argc, char **argv)
{
    int one = 1, sum = 0;
    MPI_Op op;
    MPI_Init(&argc, &argv);
    MPI_Op_create(operation, 1, &op);
    try {
        MPI_Allreduce(&one, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
    } catch (...) {
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
}
