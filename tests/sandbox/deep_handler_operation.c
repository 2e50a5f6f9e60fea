// An error handler goes down its stack as far as it may and reduces there, by an operation that looks for the stack's end:
// a trap of the guest's, and not of the host's stack.
// ranks: 1 2
// exit: 134
// stderr: the call stack is exhausted
#define LEVELS 16000
#include "deep.h"

static MPI_Op op;

static void endless(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)in;
    (void)inout;
    (void)count;
    (void)type;
    forever(0);
}

static void reduce(void)
{
    int in = 1, inout = 2;
    MPI_Reduce_local(&in, &inout, 1, MPI_INT, op);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Op_create(endless, 1, &op);
    fail_deep(reduce);
    MPI_Finalize();
    return 0;
}
