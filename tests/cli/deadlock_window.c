// Two ranks have locked each other's part of a window, and want their own, too.
// engines: local
// ranks: 2
// exit: 3
// stderr: deadlock
// stderr: rank 0 waits in MPI_Win_lock: rank 1 holds window 'field' of rank 0 exclusively
// stderr: rank 1 waits in MPI_Win_lock: rank 0 holds window 'field' of rank 1 exclusively
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, part = 0;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(&part, sizeof part, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_name(win, "field");
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1 - rank, 0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
    MPI_Win_unlock(rank, win);
    MPI_Finalize();
    return 0;
}
