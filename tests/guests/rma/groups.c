// MPI_Win_post and MPI_Win_start with groups of several, of nobody, in another order than the window's; MPI_ERR_GROUP for strangers.
// ranks: 3 4 8
#include "../check.h"

static MPI_Win win;
static MPI_Group world;

/* Everybody writes to rank 0 and reads from it, which has it all at once. */
static void all_to_one(int *window)
{
    MPI_Group others, zero;
    int first = 0, got = -1;
    TRY(MPI_Group_excl(world, 1, &first, &others));
    TRY(MPI_Group_incl(world, 1, &first, &zero));
    for (int round = 0; round < 10; round++) {
        int value = 10 * rank + round;
        if (rank == 0) {
            window[0] = round;
            TRY(MPI_Win_post(others, 0, win));
            TRY(MPI_Win_wait(win));
            for (int r = 1; r < size; r++)
                CHECK_INT(window[r], 10 * r + round);
        } else {
            TRY(MPI_Win_start(zero, 0, win));
            TRY(MPI_Put(&value, 1, MPI_INT, 0, rank, 1, MPI_INT, win));
            TRY(MPI_Get(&got, 1, MPI_INT, 0, 0, 1, MPI_INT, win));
            TRY(MPI_Win_complete(win));
            CHECK_INT(got, round);
        }
    }
    TRY(MPI_Group_free(&others));
    TRY(MPI_Group_free(&zero));
}

/* Everybody writes to everybody, and names them backwards. */
static void all_to_all(int *window)
{
    MPI_Group backwards;
    TRY(MPI_Group_range_incl(world, 1, (int[1][3]){{size - 1, 0, -1}}, &backwards));
    for (int i = 0; i < size; i++)
        window[i] = -1;
    TRY(MPI_Win_post(backwards, 0, win));
    TRY(MPI_Win_start(backwards, 0, win));
    for (int r = 0; r < size; r++)
        TRY(MPI_Put(&rank, 1, MPI_INT, r, rank, 1, MPI_INT, win));
    TRY(MPI_Win_complete(win));
    TRY(MPI_Win_wait(win));
    for (int r = 0; r < size; r++)
        CHECK_INT(window[r], r);
    TRY(MPI_Group_free(&backwards));
}

int main(int argc, char **argv)
{
    int window[8] = {0}, flag = 0;
    check_begin(&argc, &argv);
    TRY(MPI_Comm_group(MPI_COMM_WORLD, &world));
    TRY(MPI_Win_create(window, sizeof window, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    TRY(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    all_to_one(window);
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    all_to_all(window);
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    TRY(MPI_Win_post(MPI_GROUP_EMPTY, 0, win));
    TRY(MPI_Win_start(MPI_GROUP_EMPTY, 0, win));
    TRY(MPI_Win_complete(win));
    TRY(MPI_Win_test(win, &flag));
    CHECK(flag);
    TRY(MPI_Win_free(&win));
    if (embedded()) {
        /* A window of the first two ranks: the last one is a stranger to it. */
        MPI_Comm pair;
        TRY(MPI_Comm_split(MPI_COMM_WORLD, rank < 2, 0, &pair));
        TRY(MPI_Win_create(window, sizeof window, sizeof(int), MPI_INFO_NULL, pair, &win));
        TRY(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
        FAILS(MPI_Win_post(world, 0, win), MPI_ERR_GROUP);
        FAILS(MPI_Win_start(world, 0, win), MPI_ERR_GROUP);
        FAILS(MPI_Win_start(MPI_GROUP_NULL, 0, win), MPI_ERR_GROUP);
        TRY(MPI_Win_free(&win));
        TRY(MPI_Comm_free(&pair));
    }
    TRY(MPI_Group_free(&world));
    return check_end();
}
