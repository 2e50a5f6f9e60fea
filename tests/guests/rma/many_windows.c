// Windows of parts of the world, several at a time, one after another, and with parts of different sizes and units.
// ranks: 1 4 8 64
// native: 1 4
#include "../check.h"

enum { WINDOWS = 40 };

/* Each rank has as many ints as its number, and counts them in units of its own. */
static void parts_of_all_sizes(void)
{
    int *part, value = 7, got = -1, to = size - 1, *unit, flag;
    MPI_Aint *bytes;
    MPI_Win win;
    int my_unit = rank % 2 ? 4 : 1;
    TRY(MPI_Win_allocate(rank * sizeof(int), my_unit, MPI_INFO_NULL, MPI_COMM_WORLD, &part, &win));
    TRY(MPI_Win_get_attr(win, MPI_WIN_SIZE, &bytes, &flag));
    CHECK_INT(*bytes, rank * sizeof(int));
    TRY(MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &unit, &flag));
    CHECK_INT(*unit, my_unit);
    TRY(MPI_Win_fence(0, win));
    if (rank == 0 && to > 0) {
        TRY(MPI_Put(&value, 1, MPI_INT, to, (to - 1) * (to % 2 ? 1 : 4), 1, MPI_INT, win));
        TRY(MPI_Put(NULL, 0, MPI_INT, to, 0, 0, MPI_INT, win));
        TRY(MPI_Put(&value, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win));
    }
    TRY(MPI_Win_fence(0, win));
    if (rank == to && to > 0)
        CHECK_INT(part[to - 1], 7);
    TRY(MPI_Win_free(&win));
    CHECK_INT(got, -1);
}

int main(int argc, char **argv)
{
    int numbers[WINDOWS], one = 1, n, me;
    MPI_Win wins[WINDOWS];
    MPI_Comm part;
    check_begin(&argc, &argv);
    parts_of_all_sizes();
    TRY(MPI_Comm_split(MPI_COMM_WORLD, rank % 3, -rank, &part));
    TRY(MPI_Comm_rank(part, &me));
    TRY(MPI_Comm_size(part, &n));
    for (int i = 0; i < WINDOWS; i++) {
        numbers[i] = 0;
        TRY(MPI_Win_create(&numbers[i], sizeof(int), 1, MPI_INFO_NULL, part, &wins[i]));
    }
    /* All are locked at the same time. */
    for (int i = 0; i < WINDOWS; i++)
        TRY(MPI_Win_lock_all(0, wins[i]));
    for (int i = 0; i < WINDOWS; i++)
        TRY(MPI_Accumulate(&one, 1, MPI_INT, (me + i) % n, 0, 1, MPI_INT, MPI_SUM, wins[i]));
    for (int i = WINDOWS; i-- > 0;)
        TRY(MPI_Win_unlock_all(wins[i]));
    TRY(MPI_Barrier(part));
    for (int i = 0; i < WINDOWS; i++) {
        CHECK_INT(numbers[i], 1);
        TRY(MPI_Win_free(&wins[i]));
        /* Its place is free for another. */
        TRY(MPI_Win_create(&numbers[i], i % 2 ? 0 : sizeof(int), 1, MPI_INFO_NULL, part, &wins[i]));
    }
    for (int i = 0; i < WINDOWS; i++)
        TRY(MPI_Win_free(&wins[i]));
    TRY(MPI_Comm_free(&part));
    return check_end();
}
