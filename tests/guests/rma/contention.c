// Many ranks at one lock: what is read and written under an exclusive lock is nobody else's meanwhile, and those who share it see it whole.
// ranks: 2 4 8 64
// native: 2 4
#include "../check.h"

enum { N = 64, ROUNDS = 20 };

int main(int argc, char **argv)
{
    int *window, local[N];
    MPI_Win win;
    check_begin(&argc, &argv);
    TRY(MPI_Win_allocate(N * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window, &win));
    memset(window, 0, N * sizeof(int));
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    for (int round = 0; round < ROUNDS; round++) {
        TRY(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
        TRY(MPI_Get(local, N, MPI_INT, 0, 0, N, MPI_INT, win));
        TRY(MPI_Win_flush(0, win));
        for (int i = N; i-- > 0;) {
            CHECK_INT(local[i], local[0]);
            local[i]++;
        }
        TRY(MPI_Put(local, N, MPI_INT, 0, 0, N, MPI_INT, win));
        TRY(MPI_Win_unlock(0, win));
        TRY(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
        TRY(MPI_Get(local, N, MPI_INT, 0, 0, N, MPI_INT, win));
        TRY(MPI_Win_unlock(0, win));
        for (int i = 0; i < N; i++)
            CHECK_INT(local[i], local[0]);
        CHECK(local[0] >= round + 1);
        if (round % 8 == 0) {
            TRY(MPI_Win_lock_all(0, win));
            TRY(MPI_Get(local, N, MPI_INT, 0, 0, N, MPI_INT, win));
            TRY(MPI_Win_unlock_all(win));
            CHECK_INT(local[N - 1], local[0]);
        }
    }
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 0) {
        TRY(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
        CHECK_INT(window[N / 2], ROUNDS * size);
        TRY(MPI_Win_unlock(0, win));
    }
    TRY(MPI_Win_free(&win));
    return check_end();
}
