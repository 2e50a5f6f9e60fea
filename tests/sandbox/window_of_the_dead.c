// A rank returns, without a word, while others still write to its part of a window: its memory stays as long as they are there.
// engines: local
// ranks: 2 4
// exit: nonzero
// stderr: without MPI_Finalize | deadlock
// stdout: written
#include "hostile.h"
#include <time.h>

int main(int argc, char **argv)
{
    enum { N = 1 << 18 };
    static int part[N], mine[N];
    int got = -1;
    MPI_Win win;
    hostile_begin(&argc, &argv);
    TRY(MPI_Win_create(part, sizeof part, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    TRY(MPI_Win_fence(0, win));
    if (rank == 0)
        return 0;
    TRY(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
    for (int round = 0; round < 50; round++) {
        for (int i = 0; i < N; i += 1024)
            mine[i] = round + rank;
        TRY(MPI_Put(mine, N, MPI_INT, 0, 0, N, MPI_INT, win));
        TRY(MPI_Accumulate(mine, 1000, MPI_INT, 0, 1, 1000, MPI_INT, MPI_SUM, win));
        TRY(MPI_Get(&got, 1, MPI_INT, 0, 1024, 1, MPI_INT, win));
    }
    TRY(MPI_Win_unlock(0, win));
    CHECK(got > 0);
    printf("written\n");
    MPI_Win_fence(0, win); /* for ever */
    return 1;
}
