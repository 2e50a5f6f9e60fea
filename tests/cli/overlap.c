// A receive of 8 MB that was posted before is there while the receiver calls no function of MPI. (Native MPICH: the sender is
// stuck until it does.)
// engines: local
// ranks: 2 4
#include "../guests/check.h"
#include <time.h>

enum { COUNT = 1 << 20 };

int main(int argc, char **argv)
{
    double *data = malloc(COUNT * sizeof *data);
    check_begin(&argc, &argv);
    int partner = rank ^ 1;
    for (int i = 0; i < COUNT; i++)
        data[i] = rank % 2 == 1 ? rank + i : -1;
    MPI_Request request = MPI_REQUEST_NULL;
    if (rank % 2 == 0)
        TRY(MPI_Irecv(data, COUNT, MPI_DOUBLE, partner, 0, MPI_COMM_WORLD, &request));
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    if (rank % 2 == 1) {
        TRY(MPI_Ssend(data, COUNT, MPI_DOUBLE, partner, 0, MPI_COMM_WORLD));
    } else {
        // It sleeps between looks: with fibers, receivers that never do could hold all cores, and no sender ever runs.
        for (volatile double *last = &data[COUNT - 1]; *last != partner + COUNT - 1;)
            nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
        for (int i = 0; i < COUNT; i++)
            CHECK_REAL(data[i], partner + i);
    }
    free(data);
    return check_end();
}
