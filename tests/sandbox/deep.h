// Callbacks that begin far down the stack. `deep` calls a function there; `forever` finds the stack's end, wherever it is.
#include <mpi.h>
#include <stdio.h>

static volatile int sink;

__attribute__((noinline)) static int deep(int levels, void (*call)(void))
{
    volatile int local = levels;
    if (levels == 0) {
        call();
        return 0;
    }
    int below = deep(levels - 1, call) + local;
    sink = below;
    return below;
}

__attribute__((noinline)) static int forever(int levels)
{
    volatile int local = levels;
    int below = forever(levels + 1) + local;
    sink = below;
    return below;
}

static void (*reached)(void);

static void handler(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    (void)code;
    deep(LEVELS, reached);
}

// An error of a call that never waits, whose handler is `handler`.
static void fail_deep(void (*call)(void))
{
    MPI_Errhandler errors;
    MPI_Request request;
    int value = 0;
    reached = call;
    MPI_Comm_create_errhandler(handler, &errors);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, errors);
    MPI_Isend(&value, 1, MPI_INT, 77, 0, MPI_COMM_WORLD, &request);
}
