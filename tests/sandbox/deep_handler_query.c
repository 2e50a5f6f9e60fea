// The same with a generalised request, whose status MPI asks for.
// ranks: 1 2
// exit: 134
// stderr: the call stack is exhausted
#define LEVELS 16000
#include "deep.h"

static MPI_Request request;

static int endless(void *state, MPI_Status *status)
{
    (void)state;
    (void)status;
    return forever(0);
}

static int nothing(void *state)
{
    (void)state;
    return MPI_SUCCESS;
}

static int not_cancelled(void *state, int complete)
{
    (void)state;
    (void)complete;
    return MPI_SUCCESS;
}

static void wait_for_it(void)
{
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Grequest_start(endless, nothing, not_cancelled, NULL, &request);
    MPI_Grequest_complete(request);
    fail_deep(wait_for_it);
    MPI_Finalize();
    return 0;
}
