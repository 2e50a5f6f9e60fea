// Functions that MPI calls while it frees a window, or waits in one, free it, access it, and come to its fences themselves.
// engines: local
// ranks: 1 2 4
#include "hostile.h"

static MPI_Win win, other;
static int deletions, value;

/* The window is being freed: it still works, and freeing it here ends it for the call around. */
static int on_delete(MPI_Win of, int key, void *how, void *state)
{
    (void)key;
    (void)state;
    deletions++;
    TRY(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, of));
    TRY(MPI_Put(&value, 1, MPI_INT, rank, 0, 1, MPI_INT, of));
    TRY(MPI_Win_unlock(rank, of));
    if (how) {
        MPI_Win same = of;
        TRY(MPI_Win_delete_attr(of, *(int *)how));
        TRY(MPI_Win_free(&same));
    }
    return MPI_SUCCESS;
}

static int keeps(MPI_Win of, int key, void *how, void *state)
{
    (void)of;
    (void)key;
    (void)how;
    (void)state;
    return MPI_ERR_OTHER;
}

static volatile int in_fence;

/* An operation of a collective that goes on while its rank waits in a fence: it comes to the same fence. */
static void adds(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++)
        ((int *)inout)[i] += ((int *)in)[i];
    if (in_fence)
        FAILS(MPI_Win_fence(0, win), MPI_ERR_RMA_SYNC);
}

static int called;

/* The handler of a window frees it. */
static void frees(MPI_Win *of, int *code, ...)
{
    (void)code;
    called++;
    MPI_Win same = *of;
    TRY(MPI_Win_free(&same));
}

int main(int argc, char **argv)
{
    int part = 0, key, keeping;
    MPI_Errhandler handler;
    hostile_begin(&argc, &argv);
    TRY(MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, on_delete, &key, NULL));
    TRY(MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, keeps, &keeping, NULL));

    TRY(MPI_Win_create(&part, sizeof part, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    TRY(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    TRY(MPI_Win_set_attr(win, key, NULL));
    TRY(MPI_Win_free(&win));
    CHECK_INT(deletions, 1);

    /* A window of one rank, which its attribute's function frees. */
    TRY(MPI_Win_create(&part, sizeof part, 1, MPI_INFO_NULL, MPI_COMM_SELF, &win));
    TRY(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    TRY(MPI_Win_set_attr(win, keeping, NULL));
    other = win;
    FAILS(MPI_Win_free(&other), MPI_ERR_OTHER);
    CHECK(other == win);

    TRY(MPI_Win_create(&part, sizeof part, 1, MPI_INFO_NULL, MPI_COMM_SELF, &win));
    TRY(MPI_Win_create_errhandler(frees, &handler));
    TRY(MPI_Win_set_errhandler(win, handler));
    REFUSED(MPI_Win_unlock(0, win));
    CHECK_INT(called, 1);
    FAILS(MPI_Win_fence(0, win), MPI_ERR_WIN);
    TRY(MPI_Errhandler_free(&handler));

    /* During an epoch no window is freed. */
    TRY(MPI_Win_create(&part, sizeof part, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    TRY(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    TRY(MPI_Win_lock_all(0, win));
    other = win;
    FAILS(MPI_Win_free(&other), MPI_ERR_RMA_SYNC);
    TRY(MPI_Win_unlock_all(win));

    int in = rank, sum = -1;
    MPI_Op op;
    MPI_Request request;
    TRY(MPI_Op_create(adds, 1, &op));
    TRY(MPI_Iallreduce(&in, &sum, 1, MPI_INT, op, MPI_COMM_WORLD, &request));
    for (int round = 0; round < 20; round++) {
        in_fence = 1;
        TRY(MPI_Win_fence(0, win));
        in_fence = 0;
    }
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
    TRY(MPI_Win_free(&win));
    CHECK_INT(sum, size * (size - 1) / 2);
    TRY(MPI_Op_free(&op));
    return hostile_end();
}
