// A receive of 8 MB, posted before two seconds of computing, is complete at the first MPI_Test after it, and its sender
// has returned before that. (Native MPICH: the sender is stuck until the receiver calls MPI again.)
// engines: local
// ranks: 2 4
#include "../guests/check.h"

enum { COUNT = 1 << 20 };

int main(int argc, char **argv)
{
    double *data = malloc(COUNT * sizeof *data), returned = 0, computed = 0;
    check_begin(&argc, &argv);
    int partner = rank ^ 1;
    if (partner >= size)
        partner = MPI_PROC_NULL;
    for (int i = 0; i < COUNT; i++)
        data[i] = rank % 2 == 1 ? rank + i : -1;
    MPI_Request request = MPI_REQUEST_NULL;
    if (rank % 2 == 0)
        TRY(MPI_Irecv(data, COUNT, MPI_DOUBLE, partner, 0, MPI_COMM_WORLD, &request));
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    double start = MPI_Wtime();
    if (rank % 2 == 1) {
        TRY(MPI_Ssend(data, COUNT, MPI_DOUBLE, partner, 0, MPI_COMM_WORLD));
        returned = MPI_Wtime();
        TRY(MPI_Send(&returned, 1, MPI_DOUBLE, partner, 1, MPI_COMM_WORLD));
    } else {
        int flag = 0;
        volatile double x = 1;
        while (MPI_Wtime() - start < 2)
            for (int i = 0; i < 10000; i++)
                x = x * 1.0000001;
        computed = MPI_Wtime();
        TRY(MPI_Test(&request, &flag, MPI_STATUS_IGNORE));
        // With fibers two computing receivers can hold both cores, and their senders have not run yet.
        if (size == 2)
            CHECK_INT(flag, 1);
        TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
        CHECK_REAL(data[COUNT - 1], partner + COUNT - 1);
        TRY(MPI_Recv(&returned, 1, MPI_DOUBLE, partner, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        // All ranks have one clock.
        if (size == 2)
            CHECK(returned < computed);
    }
    free(data);
    return check_end();
}
