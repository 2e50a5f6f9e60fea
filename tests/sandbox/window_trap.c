// A rank traps inside of an epoch, with locks in its hands, while others write to its part and wait for what it holds.
// engines: local
// ranks: 2 4 64
// exit: nonzero
// stderr: unreachable
#include "hostile.h"

int main(int argc, char **argv)
{
    static int part[1024], mine[1024];
    MPI_Win win;
    hostile_begin(&argc, &argv);
    TRY(MPI_Win_create(part, sizeof part, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    TRY(MPI_Win_lock_all(0, win));
    TRY(MPI_Put(mine, 1024, MPI_INT, 0, 0, 1024, MPI_INT, win));
    TRY(MPI_Win_unlock_all(win));
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 0)
        TRY(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, size - 1, 0, win));
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 0)
        __builtin_trap();
    if (rank == 1)
        TRY(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, size - 1, 0, win));
    for (;;) {
        TRY(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
        TRY(MPI_Accumulate(mine, 1024, MPI_INT, 0, 0, 1024, MPI_INT, MPI_SUM, win));
        TRY(MPI_Win_unlock(0, win));
        TRY(MPI_Barrier(MPI_COMM_SELF));
        if (rank > 1)
            TRY(MPI_Barrier(MPI_COMM_WORLD));
    }
}
