// MPI_Win_allocate, MPI_Win_lock, _unlock, _lock_all, _unlock_all, _flush*, MPI_Fetch_and_op, MPI_Compare_and_swap, MPI_Get_accumulate.
// large: yes
// native: 1 2
#include "../check.h"

int main(int argc, char **argv)
{
    int64_t *window = NULL, one = 1, old = -1, got = -1, expected, swap;
    MPI_Win win;
    check_begin(&argc, &argv);
    TRY(MPI_Win_allocate(4 * sizeof *window, sizeof *window, MPI_INFO_NULL, MPI_COMM_WORLD, &window, &win));
    CHECK(window != NULL);
    TRY(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win));
    for (int i = 0; i < 4; i++)
        window[i] = 0;
    TRY(MPI_Win_unlock(rank, win));
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    // A counter that all increment: every rank sees numbers of its own.
    TRY(MPI_Win_lock_all(0, win));
    int64_t last = -1;
    for (int i = 0; i < 10; i++) {
        TRY(MPI_Fetch_and_op(&one, &old, MPI_INT64_T, 0, 0, MPI_SUM, win));
        TRY(MPI_Win_flush(0, win));
        CHECK(old > last && old < 10 * size);
        last = old;
    }
    TRY(MPI_Get_accumulate(&one, 1, MPI_INT64_T, &got, 1, MPI_INT64_T, 0, 1, 1, MPI_INT64_T, MPI_SUM, win));
    TRY(MPI_Win_flush_local(0, win));
    TRY(MPI_Win_flush_all(win));
    CHECK(got >= 0 && got < size);
    // Only one of all wins the race from zero.
    expected = 0;
    swap = rank + 1;
    TRY(MPI_Compare_and_swap(&swap, &expected, &old, MPI_INT64_T, 0, 2, win));
    TRY(MPI_Win_flush_local_all(win));
    TRY(MPI_Win_flush_all(win));
    TRY(MPI_Win_sync(win));
    TRY(MPI_Win_unlock_all(win));
    int won = old == 0, winners = 0;
    TRY(MPI_Allreduce(&won, &winners, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK_INT(winners, 1);
    TRY(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
    TRY(MPI_Get(&got, 1, MPI_INT64_T, 0, 0, 1, MPI_INT64_T, win));
    TRY(MPI_Win_unlock(0, win));
    CHECK_INT(got, 10 * size);
    TRY(MPI_Win_free(&win));
    return check_end();
}
