// Epochs that are not kept apart, and arguments that make no window, are errors of the window or communicator.
// engines: local
// native: no (a library checks little of this)
#include "../check.h"

static MPI_Win win;
static int value;

static int touch(int target) { return MPI_Put(&value, 1, MPI_INT, target, 0, 1, MPI_INT, win); }

static void windows_that_are_none(int *memory)
{
    int flag = -1, *attribute;
    FAILS(MPI_Win_create(memory, -4, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win), MPI_ERR_SIZE);
    CHECK(win == MPI_WIN_NULL);
    FAILS(MPI_Win_create(memory, 4, 0, MPI_INFO_NULL, MPI_COMM_WORLD, &win), MPI_ERR_DISP);
    FAILS(MPI_Win_create(memory, 4, -1, MPI_INFO_NULL, MPI_COMM_WORLD, &win), MPI_ERR_DISP);
    FAILS(MPI_Win_create((void *)-16L, 64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win), MPI_ERR_BUFFER);
    FAILS(MPI_Win_create(memory, 4, 1, (MPI_Info)77, MPI_COMM_WORLD, &win), MPI_ERR_INFO);
    FAILS(MPI_Win_create(memory, 4, 1, MPI_INFO_NULL, MPI_COMM_NULL, &win), MPI_ERR_COMM);
    FAILS(MPI_Win_allocate(-1, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &attribute, &win), MPI_ERR_SIZE);
    FAILS(MPI_Win_fence(0, MPI_WIN_NULL), MPI_ERR_WIN);
    FAILS(MPI_Win_get_attr((MPI_Win)MPI_COMM_WORLD, MPI_WIN_SIZE, &attribute, &flag), MPI_ERR_WIN);
    win = MPI_WIN_NULL;
    FAILS(MPI_Win_free(&win), MPI_ERR_WIN);
}

static void without_an_epoch(int next)
{
    int old;
    MPI_Request request;
    FAILS(touch(next), MPI_ERR_RMA_SYNC);
    FAILS(MPI_Fetch_and_op(&value, &old, MPI_INT, next, 0, MPI_SUM, win), MPI_ERR_RMA_SYNC);
    FAILS(MPI_Compare_and_swap(&value, &value, &old, MPI_INT, next, 0, win), MPI_ERR_RMA_SYNC);
    FAILS(MPI_Rput(&value, 1, MPI_INT, next, 0, 1, MPI_INT, win, &request), MPI_ERR_RMA_SYNC);
    CHECK(request == MPI_REQUEST_NULL);
    FAILS(MPI_Win_unlock(next, win), MPI_ERR_RMA_SYNC);
    FAILS(MPI_Win_unlock_all(win), MPI_ERR_RMA_SYNC);
    FAILS(MPI_Win_complete(win), MPI_ERR_RMA_SYNC);
    FAILS(MPI_Win_wait(win), MPI_ERR_RMA_SYNC);
    FAILS(MPI_Win_flush_all(win), MPI_ERR_RMA_SYNC);
    FAILS(MPI_Win_flush_local(next, win), MPI_ERR_RMA_SYNC);
}

static void inside_of_another(int next)
{
    MPI_Group world, myself;
    FAILS(MPI_Win_lock(99, rank, 0, win), MPI_ERR_LOCKTYPE);
    FAILS(MPI_Win_lock(MPI_LOCK_SHARED, size, 0, win), MPI_ERR_RANK);
    TRY(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win));
    if (size > 1)
        FAILS(touch(next), MPI_ERR_RMA_SYNC);
    FAILS(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win), MPI_ERR_RMA_SYNC);
    FAILS(MPI_Win_lock_all(0, win), MPI_ERR_RMA_SYNC);
    FAILS(MPI_Win_unlock_all(win), MPI_ERR_RMA_SYNC);
    FAILS(MPI_Win_fence(0, win), MPI_ERR_RMA_SYNC);
    MPI_Win same = win;
    FAILS(MPI_Win_free(&same), MPI_ERR_RMA_SYNC);
    TRY(MPI_Comm_group(MPI_COMM_WORLD, &world));
    TRY(MPI_Group_incl(world, 1, &rank, &myself));
    FAILS(MPI_Win_start(myself, 0, win), MPI_ERR_RMA_SYNC);
    FAILS(MPI_Win_post(myself, 0, win), MPI_ERR_RMA_CONFLICT);
    TRY(MPI_Win_unlock(rank, win));
    /* What is exposed is not locked. */
    TRY(MPI_Win_post(myself, 0, win));
    FAILS(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win), MPI_ERR_RMA_CONFLICT);
    FAILS(MPI_Win_post(myself, 0, win), MPI_ERR_RMA_SYNC);
    FAILS(MPI_Win_fence(0, win), MPI_ERR_RMA_SYNC);
    TRY(MPI_Win_start(myself, 0, win));
    TRY(touch(rank));
    if (size > 1)
        FAILS(touch(next), MPI_ERR_RMA_SYNC);
    TRY(MPI_Win_complete(win));
    TRY(MPI_Win_wait(win));
    TRY(MPI_Group_free(&myself));
    TRY(MPI_Group_free(&world));
}

int main(int argc, char **argv)
{
    int memory[4] = {0};
    check_begin(&argc, &argv);
    int next = (rank + 1) % size;
    windows_that_are_none(memory);
    TRY(MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    TRY(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    /* Errors of a window's communicator go to its handler, of no object to MPI_COMM_SELF's. */
    TRY(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    without_an_epoch(next);
    inside_of_another(next);
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    FAILS(MPI_Win_attach(win, memory, 4), MPI_ERR_RMA_FLAVOR);
    FAILS(MPI_Win_set_attr(win, MPI_WIN_SIZE, memory), MPI_ERR_KEYVAL);
    TRY(MPI_Win_free(&win));
    return check_end();
}
