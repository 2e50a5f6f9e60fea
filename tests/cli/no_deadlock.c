// Ranks that wait for one that computes, sleeps or polls are in no deadlock.
// ranks: 1 2 3 8
#include "../guests/check.h"
#include <time.h>

int main(int argc, char **argv)
{
    int in = 0, flag = 0;
    check_begin(&argc, &argv);
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    if (rank == 0) {
        double start = MPI_Wtime();
        while (MPI_Wtime() - start < 0.3)
            ;
        nanosleep(&(struct timespec){0, 300000000}, NULL);
        // Polls for what can't come yet.
        for (int i = 0; i < 1000; i++)
            TRY(MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
    }
    MPI_Request request;
    TRY(MPI_Irecv(&in, 1, MPI_INT, before, 0, MPI_COMM_WORLD, &request));
    if (rank != 0)
        TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
    TRY(MPI_Send(&rank, 1, MPI_INT, next, 0, MPI_COMM_WORLD));
    if (rank == 0)
        TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_INT(in, before);
    return check_end();
}
