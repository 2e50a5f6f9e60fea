// Epochs that a program mixes up, target by target: what is not locked is unlocked, flushed, accessed in every way; epochs begin in others
// and end that never began. All of it is MPI_ERR_RMA_SYNC, on every engine, and the window works afterwards.
// ranks: 2 3
#include "variations.h"

static MPI_Win win;
static int cells[64], result[4], value = 3, other;
static MPI_Group mine, others;

#define SYNC(call) FAILS(call, MPI_ERR_RMA_SYNC)

/* Every access there is, with a request and without. */
static void no_access(int target)
{
    MPI_Request request;
    SYNC(MPI_Put(&value, 1, MPI_INT, target, 0, 1, MPI_INT, win));
    SYNC(MPI_Put_c(&value, 1, MPI_INT, target, 0, 1, MPI_INT, win));
    SYNC(MPI_Get(result, 1, MPI_INT, target, 0, 1, MPI_INT, win));
    SYNC(MPI_Accumulate(&value, 1, MPI_INT, target, 0, 1, MPI_INT, MPI_SUM, win));
    SYNC(MPI_Get_accumulate(&value, 1, MPI_INT, result, 1, MPI_INT, target, 0, 1, MPI_INT, MPI_SUM, win));
    SYNC(MPI_Fetch_and_op(&value, result, MPI_INT, target, 0, MPI_SUM, win));
    SYNC(MPI_Compare_and_swap(&value, &value, result, MPI_INT, target, 0, win));
    SYNC(MPI_Rput(&value, 1, MPI_INT, target, 0, 1, MPI_INT, win, &request));
    CHECK(request == MPI_REQUEST_NULL);
    SYNC(MPI_Rget(result, 1, MPI_INT, target, 0, 1, MPI_INT, win, &request));
    SYNC(MPI_Raccumulate(&value, 1, MPI_INT, target, 0, 1, MPI_INT, MPI_SUM, win, &request));
    SYNC(MPI_Rget_accumulate(&value, 1, MPI_INT, result, 1, MPI_INT, target, 0, 1, MPI_INT, MPI_SUM, win, &request));
    CHECK(request == MPI_REQUEST_NULL);
}

/* What ends epochs of passive targets, or is within them. */
static void no_passive(int target)
{
    SYNC(MPI_Win_unlock(target, win));
    SYNC(MPI_Win_flush(target, win));
    SYNC(MPI_Win_flush_local(target, win));
}

static void no_passive_all(void)
{
    SYNC(MPI_Win_unlock_all(win));
    SYNC(MPI_Win_flush_all(win));
    SYNC(MPI_Win_flush_local_all(win));
}

static void no_end(void)
{
    int flag;
    SYNC(MPI_Win_complete(win));
    SYNC(MPI_Win_wait(win));
    SYNC(MPI_Win_test(win, &flag));
}

static void access(int target)
{
    TRY(MPI_Put(&value, 1, MPI_INT, target, 0, 1, MPI_INT, win));
    TRY(MPI_Get(result, 1, MPI_INT, target, 1, 1, MPI_INT, win));
}

/* The window works as ever. */
static void works(void)
{
    no_passive_all();
    no_end();
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    TRY(MPI_Win_lock(MPI_LOCK_SHARED, other, 0, win));
    access(other);
    TRY(MPI_Win_flush(other, win));
    TRY(MPI_Win_unlock(other, win));
    TRY(MPI_Win_lock_all(0, win));
    access(other);
    TRY(MPI_Win_unlock_all(win));
    TRY(MPI_Barrier(MPI_COMM_WORLD));
}

static void nothing_begun(void)
{
    no_access(other);
    no_access(rank);
    no_passive(other);
    no_passive(rank);
}

static void another_is_locked(void)
{
    TRY(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win));
    no_access(other);
    no_passive(other);
    SYNC(MPI_Win_unlock_all(win));
    no_end();
    access(rank);
    TRY(MPI_Win_flush_all(win));
    TRY(MPI_Win_unlock(rank, win));
    no_passive(rank);
}

static void twice(void)
{
    TRY(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win));
    SYNC(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win));
    SYNC(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win));
    SYNC(MPI_Win_lock_all(0, win));
    TRY(MPI_Win_unlock(rank, win));
    SYNC(MPI_Win_unlock(rank, win));
    TRY(MPI_Win_lock_all(0, win));
    SYNC(MPI_Win_lock_all(0, win));
    SYNC(MPI_Win_lock(MPI_LOCK_SHARED, other, 0, win));
    SYNC(MPI_Win_unlock(other, win));
    TRY(MPI_Win_unlock_all(win));
    SYNC(MPI_Win_unlock_all(win));
}

static void without_a_check(void)
{
    TRY(MPI_Win_lock(MPI_LOCK_SHARED, other, MPI_MODE_NOCHECK, win));
    access(other);
    TRY(MPI_Win_unlock(other, win));
    SYNC(MPI_Win_unlock(other, win));
    TRY(MPI_Win_lock_all(MPI_MODE_NOCHECK, win));
    access(other);
    TRY(MPI_Win_unlock_all(win));
    no_access(other);
}

/* One after the other is locked, and they are unlocked in another order. */
static void several(void)
{
    for (int i = 0; i < size; i++)
        TRY(MPI_Win_lock(MPI_LOCK_SHARED, i, 0, win));
    for (int i = 0; i < size; i++)
        SYNC(MPI_Win_lock(MPI_LOCK_SHARED, i, 0, win));
    for (int i = 0; i < size; i++) {
        access(i);
        TRY(MPI_Win_unlock(i, win));
        no_access(i);
        no_passive(i);
    }
    no_passive_all();
}

static void in_a_fence(void)
{
    TRY(MPI_Win_fence(0, win));
    no_passive(other);
    no_passive_all();
    no_end();
    access(other);
    SYNC(MPI_Win_lock(MPI_LOCK_SHARED, other, 0, win));
    SYNC(MPI_Win_lock_all(0, win));
    SYNC(MPI_Win_start(others, 0, win));
    SYNC(MPI_Win_post(others, 0, win));
    MPI_Request request;
    SYNC(MPI_Rput(&value, 1, MPI_INT, other, 0, 1, MPI_INT, win, &request));
    MPI_Win same = win;
    SYNC(MPI_Win_free(&same));
    TRY(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    no_access(other);
}

static void fence_in_a_lock(void)
{
    MPI_Win same = win;
    TRY(MPI_Win_lock(MPI_LOCK_SHARED, other, 0, win));
    SYNC(MPI_Win_fence(0, win));
    SYNC(MPI_Win_start(others, 0, win));
    SYNC(MPI_Win_free(&same));
    CHECK(same == win);
    TRY(MPI_Win_unlock(other, win));
}

/* A rank starts with itself, which it has posted to. */
static void with_myself(void)
{
    int flag = 0;
    TRY(MPI_Win_post(mine, 0, win));
    SYNC(MPI_Win_post(mine, 0, win));
    SYNC(MPI_Win_fence(0, win));
    FAILS(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win), MPI_ERR_RMA_CONFLICT);
    SYNC(MPI_Win_complete(win));
    TRY(MPI_Win_start(mine, 0, win));
    SYNC(MPI_Win_start(mine, 0, win));
    SYNC(MPI_Win_lock(MPI_LOCK_SHARED, other, 0, win));
    SYNC(MPI_Win_lock_all(0, win));
    no_access(other);
    no_passive(rank);
    access(rank);
    TRY(MPI_Win_complete(win));
    SYNC(MPI_Win_complete(win));
    no_access(rank);
    while (!flag)
        TRY(MPI_Win_test(win, &flag));
    SYNC(MPI_Win_wait(win));
}

static void named_ranks_only(void)
{
    TRY(MPI_Win_post(others, 0, win));
    TRY(MPI_Win_start(others, 0, win));
    no_access(rank);
    access(other);
    TRY(MPI_Win_complete(win));
    TRY(MPI_Win_wait(win));
    no_end();
}

/* Nobody, and no ranks, no locks and no assertions. */
static void nobody(void)
{
    MPI_Request request;
    TRY(MPI_Win_lock(MPI_LOCK_SHARED, MPI_PROC_NULL, 0, win));
    TRY(MPI_Put(&value, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win));
    TRY(MPI_Rput(&value, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win, &request));
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
    TRY(MPI_Win_flush(MPI_PROC_NULL, win));
    TRY(MPI_Win_unlock(MPI_PROC_NULL, win));
    no_passive_all();
    FAILS(MPI_Win_lock(99, other, 0, win), MPI_ERR_LOCKTYPE);
    FAILS(MPI_Win_lock(MPI_LOCK_SHARED, size, 0, win), MPI_ERR_RANK);
    FAILS(MPI_Win_lock(MPI_LOCK_SHARED, -77, 0, win), MPI_ERR_RANK);
    FAILS(MPI_Win_unlock(size, win), MPI_ERR_RANK);
    FAILS(MPI_Win_flush(size, win), MPI_ERR_RANK);
    FAILS(MPI_Win_lock(MPI_LOCK_SHARED, other, 77, win), MPI_ERR_ASSERT);
    FAILS(MPI_Win_lock_all(77, win), MPI_ERR_ASSERT);
    FAILS(MPI_Win_fence(-1, win), MPI_ERR_ASSERT);
    FAILS(MPI_Win_start(others, 77, win), MPI_ERR_ASSERT);
    FAILS(MPI_Win_post(others, 77, win), MPI_ERR_ASSERT);
}

/* The windows that there are, each of which has epochs of its own. */
static void of_another_window(void)
{
    MPI_Win first = win, second;
    TRY(MPI_Win_create(cells, sizeof cells, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &second));
    TRY(MPI_Win_set_errhandler(second, MPI_ERRORS_RETURN));
    TRY(MPI_Win_lock_all(0, first));
    win = second;
    nothing_begun();
    no_passive_all();
    win = first;
    TRY(MPI_Win_unlock_all(first));
    TRY(MPI_Win_free(&second));
}

static void freed(void)
{
    TRY(MPI_Win_free(&win));
    TRY(MPI_Group_free(&mine));
    TRY(MPI_Group_free(&others));
    after_each = NULL;
}

int main(int argc, char **argv)
{
    hostile_begin(&argc, &argv);
    MPI_Group world;
    other = (rank + 1) % size;
    TRY(MPI_Comm_group(MPI_COMM_WORLD, &world));
    TRY(MPI_Group_incl(world, 1, &rank, &mine));
    TRY(MPI_Group_excl(world, 1, &rank, &others));
    TRY(MPI_Win_create(cells, sizeof cells, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    TRY(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    after_each = works;
    const struct variation all[] = {
        {"nothing begun", nothing_begun},
        {"another is locked", another_is_locked},
        {"twice", twice},
        {"without a check", without_a_check},
        {"several", several},
        {"in a fence", in_a_fence},
        {"fence in a lock", fence_in_a_lock},
        {"with myself", with_myself},
        {"named ranks only", named_ranks_only},
        {"nobody", nobody},
        {"of another window", of_another_window},
        {"freed", freed},
    };
    return VARIATIONS(all);
}
