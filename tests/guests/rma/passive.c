// A target that computes, or sleeps, and calls no function of MPI: what others put, get and add is done all the same.
// engines: local
// ranks: 2 4
// native: no (a library may need the target's help)
#include "../check.h"
#include <time.h>

int main(int argc, char **argv)
{
    volatile int *window;
    int one = 1, got = -1;
    MPI_Win win;
    check_begin(&argc, &argv);
    TRY(MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window, &win));
    for (int i = 0; i < 4; i++)
        window[i] = 0;
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 0) {
        /* Leaves only when all the others have been here, and has told them nothing meanwhile. */
        while (window[0] != size - 1)
            nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    } else {
        TRY(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
        TRY(MPI_Put(&rank, 1, MPI_INT, 0, 1, 1, MPI_INT, win));
        TRY(MPI_Win_flush(0, win));
        TRY(MPI_Get(&got, 1, MPI_INT, 0, 1, 1, MPI_INT, win));
        TRY(MPI_Win_flush(0, win));
        CHECK(got > 0 && got < size);
        TRY(MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win));
        TRY(MPI_Win_unlock(0, win));
    }
    TRY(MPI_Win_free(&win));
    return check_end();
}
