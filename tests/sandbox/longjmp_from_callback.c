// A longjmp out of an operation is an exception too.
// ranks: 2
// exit: 134
// stderr: an exception left a callback of MPI (MPI_Reduce_local
// stderr-not: deadlock
#include <mpi.h>
#include <setjmp.h>

static jmp_buf before;

static void leave(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)in;
    (void)inout;
    (void)count;
    (void)type;
    longjmp(before, 1);
}

int main(int argc, char **argv)
{
    int in = 1, inout = 2;
    MPI_Op op;
    MPI_Init(&argc, &argv);
    MPI_Op_create(leave, 1, &op);
    if (setjmp(before) == 0)
        MPI_Reduce_local(&in, &inout, 1, MPI_INT, op);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
