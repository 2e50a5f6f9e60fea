// A rank has ended, after MPI_Finalize, with another's part of a window still locked; what was written to its own part is there.
// engines: local
// ranks: 3
// exit: 3
// stderr: deadlock
// stderr: rank 1 waits in MPI_Win_lock: rank 0 holds window 'field' of rank 1 exclusively
// stderr: rank 2 waits in MPI_Win_lock: rank 0 holds window 'field' of rank 1 exclusively
// stderr: rank 0 has ended after MPI_Finalize
// stdout: the part of the ended is whole
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    static int part[1000];
    int rank, one = 1, sum = -1, polls = 0;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(part, sizeof part, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_name(win, "field");
    if (rank == 0)
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Finalize();
        return 0;
    }
    // Its memory outlives it: accesses of its part are made and seen.
    MPI_Win_lock(MPI_LOCK_SHARED, 0, MPI_MODE_NOCHECK, win);
    for (int i = 0; i < 1000; i++)
        MPI_Accumulate(&one, 1, MPI_INT, 0, i, 1, MPI_INT, MPI_SUM, win);
    usleep(20000);
    for (int i = 0; i < 1000; i++)
        MPI_Accumulate(&one, 1, MPI_INT, 0, i, 1, MPI_INT, MPI_SUM, win);
    while (rank == 1 && sum != 4 && polls++ < 1000000) {
        MPI_Fetch_and_op(NULL, &sum, MPI_INT, 0, 999, MPI_NO_OP, win);
        if (sum != 4)
            usleep(1000);
    }
    MPI_Win_unlock(0, win);
    if (rank == 1)
        puts(sum == 4 ? "the part of the ended is whole" : "something was lost");
    fflush(stdout);
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
    return 0;
}
