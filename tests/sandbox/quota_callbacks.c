// Callbacks inside one another, each of which uses most of a stack: on fibers every one has a stack of its own, which is the rank's memory.
// ranks: 1 2
// engines: local
// bounded: mpi
// run: --memory-limit 64M
// peak: limits + 96
// exit: nonzero
// stderr: stacks of callbacks inside one another need | the call stack is exhausted
#include "hostile.h"

enum { KEYS = 60 };
static int keys[KEYS], depth;

static int deleted(MPI_Comm comm, int key, void *value, void *state);

__attribute__((noinline)) static double go_on(double a)
{
    if (depth < KEYS)
        TRY(MPI_Comm_delete_attr(MPI_COMM_SELF, keys[depth]));
    return a;
}

/* Fills the stack of WebAssembly, which is not the program's own: each frame has what no register holds. */
__attribute__((noinline)) static double deep(int calls, double a, double b, double c, double d)
{
    if (calls == 0)
        return go_on(a);
    double found = deep(calls - 1, b + 1, c + 2, d + 3, a + 4);
    return found + a * b + c * d;
}

static int deleted(MPI_Comm comm, int key, void *value, void *state)
{
    (void)comm, (void)key, (void)value;
    depth++;
    *(volatile double *)state = deep(12000, 1, 2, 3, 4);
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    static double state;
    hostile_begin(&argc, &argv);
    for (int i = 0; i < KEYS; i++) {
        TRY(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, deleted, &keys[i], &state));
        TRY(MPI_Comm_set_attr(MPI_COMM_SELF, keys[i], &state));
    }
    TRY(MPI_Comm_delete_attr(MPI_COMM_SELF, keys[0]));
    return hostile_end();
}
