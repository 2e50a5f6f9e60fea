// An error handler may wait, also far down its stack, where a thread is its rank's own: on fibers it waits for nobody but
// itself here, so that nothing keeps the call.
// ranks: 1 2 4
// stdout: OK
#define LEVELS 1000
#include "deep.h"
#include <stdlib.h>

static int handled;

static void exchange_with_myself(void)
{
    int out = 7, in = 0, sum = 0;
    MPI_Sendrecv(&out, 1, MPI_INT, 0, 0, &in, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    MPI_Allreduce(&in, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
    handled += sum == 7;
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    fail_deep(exchange_with_myself);
    fail_deep(exchange_with_myself);
    if (handled != 2)
        abort();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        puts("OK");
    MPI_Finalize();
    return 0;
}
