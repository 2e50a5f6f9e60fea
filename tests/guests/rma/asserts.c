// MPI_MODE_…: every assertion where it may stand, and none where it may not.
#include "../check.h"

int main(int argc, char **argv)
{
    int window = -1, value;
    MPI_Win win;
    MPI_Group world, to, from;
    check_begin(&argc, &argv);
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    TRY(MPI_Comm_group(MPI_COMM_WORLD, &world));
    TRY(MPI_Group_incl(world, 1, &next, &to));
    TRY(MPI_Group_incl(world, 1, &before, &from));
    TRY(MPI_Win_create(&window, sizeof window, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    TRY(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    value = rank;
    TRY(MPI_Win_fence(MPI_MODE_NOPRECEDE | MPI_MODE_NOSTORE, win));
    TRY(MPI_Put(&value, 1, MPI_INT, next, 0, 1, MPI_INT, win));
    TRY(MPI_Win_fence(MPI_MODE_NOSUCCEED | MPI_MODE_NOPUT, win));
    CHECK_INT(window, before);
    TRY(MPI_Win_fence(MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED, win));
    TRY(MPI_Win_post(from, MPI_MODE_NOSTORE | MPI_MODE_NOPUT, win));
    TRY(MPI_Win_start(to, 0, win));
    TRY(MPI_Get(&value, 1, MPI_INT, next, 0, 1, MPI_INT, win));
    TRY(MPI_Win_complete(win));
    TRY(MPI_Win_wait(win));
    CHECK_INT(value, rank);
    /* Whoever starts knows that everybody has posted. */
    TRY(MPI_Win_post(from, MPI_MODE_NOCHECK, win));
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    value = rank + 100;
    TRY(MPI_Win_start(to, MPI_MODE_NOCHECK, win));
    TRY(MPI_Put(&value, 1, MPI_INT, next, 0, 1, MPI_INT, win));
    TRY(MPI_Win_complete(win));
    TRY(MPI_Win_wait(win));
    CHECK_INT(window, before + 100);
    /* Nobody else locks this part. */
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    value = rank + 200;
    TRY(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, MPI_MODE_NOCHECK, win));
    TRY(MPI_Put(&value, 1, MPI_INT, next, 0, 1, MPI_INT, win));
    TRY(MPI_Win_unlock(next, win));
    TRY(MPI_Win_lock_all(MPI_MODE_NOCHECK, win));
    TRY(MPI_Get(&value, 1, MPI_INT, next, 0, 1, MPI_INT, win));
    TRY(MPI_Win_unlock_all(win));
    CHECK_INT(value, rank + 200);
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    if (embedded()) {
        FAILS(MPI_Win_fence(MPI_MODE_NOCHECK, win), MPI_ERR_ASSERT);
        FAILS(MPI_Win_fence(1 << 30, win), MPI_ERR_ASSERT);
        FAILS(MPI_Win_post(from, MPI_MODE_NOPRECEDE, win), MPI_ERR_ASSERT);
        FAILS(MPI_Win_start(to, MPI_MODE_NOPUT, win), MPI_ERR_ASSERT);
        FAILS(MPI_Win_lock(MPI_LOCK_SHARED, next, MPI_MODE_NOSTORE, win), MPI_ERR_ASSERT);
        FAILS(MPI_Win_lock_all(-1, win), MPI_ERR_ASSERT);
    }
    TRY(MPI_Win_free(&win));
    TRY(MPI_Group_free(&to));
    TRY(MPI_Group_free(&from));
    TRY(MPI_Group_free(&world));
    return check_end();
}
