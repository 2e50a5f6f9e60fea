// A user-defined operation that traps ends the job as any trap does: the rank, the cause, the line.
// ranks: 2 4
// exit: 134
// stderr: user_op_trap.c:14
// stderr: break_down
#include <mpi.h>

static void break_down(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)in;
    (void)inout;
    (void)type;
    volatile int *nowhere = (int *)0xfffffff0u;
    *nowhere = *count;
}

int main(int argc, char **argv)
{
    int value = 1, sum = 0;
    MPI_Op op;
    MPI_Init(&argc, &argv);
    MPI_Op_create(break_down, 1, &op);
    MPI_Allreduce(&value, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
