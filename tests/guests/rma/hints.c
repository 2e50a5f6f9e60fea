// Hints of windows: those that are given come back from MPI_Win_get_info, MPI_Win_set_info changes them, and without any the promised order shows.
#include "../check.h"

/* The value of a hint; empty, if there is none. */
static const char *hint(MPI_Win win, const char *key)
{
    static char value[MPI_MAX_INFO_VAL + 1];
    MPI_Info info;
    int flag = -1, length = sizeof value;
    value[0] = 0;
    TRY(MPI_Win_get_info(win, &info));
    TRY(MPI_Info_get_string(info, key, &length, value, &flag));
    TRY(MPI_Info_free(&info));
    return flag ? value : "";
}

/* Changes a hint, together. */
static void change(MPI_Win win, const char *key, const char *value)
{
    MPI_Info info;
    TRY(MPI_Info_create(&info));
    TRY(MPI_Info_set(info, key, value));
    TRY(MPI_Win_set_info(win, info));
    TRY(MPI_Info_free(&info));
}

/* What is true of every window without hints. */
static void defaults(void)
{
    int part[4] = {0};
    MPI_Win win;
    TRY(MPI_Win_create(part, sizeof part, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    CHECK_STR(hint(win, "no_locks"), "false");
    CHECK_STR(hint(win, "same_size"), "false");
    CHECK_STR(hint(win, "same_disp_unit"), "false");
    // Any order of the four words means the same.
    const char *order = hint(win, "accumulate_ordering");
    CHECK_INT(strlen(order), 15);
    CHECK(strstr(order, "rar") && strstr(order, "raw") && strstr(order, "war") && strstr(order, "waw"));
    TRY(MPI_Win_free(&win));
}

static void given(void)
{
    int part[4] = {0};
    MPI_Info info;
    MPI_Win win, plain;
    TRY(MPI_Info_create(&info));
    TRY(MPI_Info_set(info, "no_locks", "true"));
    TRY(MPI_Info_set(info, "same_size", "true"));
    TRY(MPI_Info_set(info, "same_disp_unit", "true"));
    TRY(MPI_Info_set(info, "accumulate_ops", "same_op"));
    TRY(MPI_Info_set(info, "nobody_knows_this", "hint"));
    TRY(MPI_Win_create(part, sizeof part, sizeof(int), info, MPI_COMM_WORLD, &win));
    // The window has taken what it wants; what becomes of the object afterwards is no longer its business.
    TRY(MPI_Info_set(info, "same_size", "false"));
    TRY(MPI_Info_free(&info));
    CHECK_STR(hint(win, "nobody_knows_this"), "");
    // A library would rely on these promises, and so is not told of them.
    if (embedded()) {
        CHECK_STR(hint(win, "no_locks"), "true");
        CHECK_STR(hint(win, "same_size"), "true");
        CHECK_STR(hint(win, "same_disp_unit"), "true");
        CHECK_STR(hint(win, "accumulate_ops"), "same_op");
    }
    // Another window has hints of its own.
    TRY(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &plain));
    CHECK_STR(hint(plain, "no_locks"), "false");
    TRY(MPI_Win_free(&plain));
    change(win, "same_size", "false");
    CHECK_STR(hint(win, "same_size"), "false");
    if (embedded())
        CHECK_STR(hint(win, "same_disp_unit"), "true");
    TRY(MPI_Win_free(&win));
}

/* Less order may be asked for, and it shows which; an accumulate is right with any. */
static void ordering(void)
{
    int *part, one = 1, sum = -1;
    MPI_Info info;
    MPI_Win win;
    TRY(MPI_Info_create(&info));
    TRY(MPI_Info_set(info, "accumulate_ordering", "none"));
    TRY(MPI_Win_allocate(sizeof(int), sizeof(int), info, MPI_COMM_WORLD, &part, &win));
    TRY(MPI_Info_free(&info));
    *part = 0;
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    CHECK_STR(hint(win, "accumulate_ordering"), "none");
    TRY(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
    TRY(MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win));
    TRY(MPI_Win_unlock(0, win));
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    TRY(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
    TRY(MPI_Fetch_and_op(NULL, &sum, MPI_INT, 0, 0, MPI_NO_OP, win));
    TRY(MPI_Win_unlock(0, win));
    CHECK_INT(sum, size);
    change(win, "accumulate_ordering", "rar,waw");
    CHECK_STR(hint(win, "accumulate_ordering"), "rar,waw");
    TRY(MPI_Win_free(&win));
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    defaults();
    given();
    ordering();
    return check_end();
}
