// Error handlers that each go down and fail there again: a handler within a handler, until the stack ends.
// ranks: 1 2
// exit: 134
// stderr: the call stack is exhausted | callbacks of MPI nest deeper
#define LEVELS 500
#include "deep.h"

static void fail_again(void)
{
    MPI_Request request;
    int value = 0;
    MPI_Isend(&value, 1, MPI_INT, 77, 0, MPI_COMM_WORLD, &request);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    fail_deep(fail_again);
    MPI_Finalize();
    return 0;
}
