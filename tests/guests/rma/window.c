// A window's name, group, info, attributes and error handler; MPI_Win_create_dynamic, _attach, _detach; MPI_Rput, MPI_Rget, MPI_Raccumulate.
// large: yes
#include "../check.h"

static int called;

static void handler(MPI_Win *win, int *code, ...)
{
    (void)win;
    (void)code;
    called++;
}

int main(int argc, char **argv)
{
    int window[4] = {1, 2, 3, 4}, *base, flag, length, key, n, *unit, *flavour;
    MPI_Aint *bytes;
    char name[MPI_MAX_OBJECT_NAME];
    MPI_Win win;
    MPI_Group group;
    MPI_Info info;
    MPI_Errhandler mine, got;
    MPI_Request request;
    check_begin(&argc, &argv);
    TRY(MPI_Win_create(window, sizeof window, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    TRY(MPI_Win_set_name(win, "shelf"));
    TRY(MPI_Win_get_name(win, name, &length));
    CHECK_STR(name, "shelf");
    TRY(MPI_Win_get_group(win, &group));
    TRY(MPI_Group_size(group, &n));
    CHECK_INT(n, size);
    TRY(MPI_Group_free(&group));
    TRY(MPI_Win_get_info(win, &info));
    TRY(MPI_Win_set_info(win, info));
    TRY(MPI_Info_free(&info));
    TRY(MPI_Win_get_attr(win, MPI_WIN_BASE, &base, &flag));
    CHECK_INT(flag, 1);
    CHECK(base == window);
    TRY(MPI_Win_get_attr(win, MPI_WIN_SIZE, &bytes, &flag));
    CHECK_INT(*bytes, sizeof window);
    TRY(MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &unit, &flag));
    CHECK_INT(*unit, sizeof(int));
    TRY(MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &flavour, &flag));
    CHECK_INT(*flavour, MPI_WIN_FLAVOR_CREATE);
    TRY(MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &key, NULL));
    TRY(MPI_Win_set_attr(win, key, name));
    char *value = NULL;
    TRY(MPI_Win_get_attr(win, key, &value, &flag));
    CHECK(flag && value == name);
    TRY(MPI_Win_delete_attr(win, key));
    TRY(MPI_Win_free_keyval(&key));
    TRY(MPI_Win_create_errhandler(handler, &mine));
    TRY(MPI_Win_set_errhandler(win, mine));
    TRY(MPI_Win_get_errhandler(win, &got));
    CHECK(got == mine);
    TRY(MPI_Errhandler_free(&got));
    TRY(MPI_Win_call_errhandler(win, MPI_ERR_OTHER));
    CHECK_INT(called, 1);
    TRY(MPI_Errhandler_free(&mine));
    TRY(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    int out = 10 + rank, in = -1, next = (rank + 1) % size, before = (rank + size - 1) % size;
    TRY(MPI_Win_lock_all(0, win));
    TRY(MPI_Rput(&out, 1, MPI_INT, next, 0, 1, MPI_INT, win, &request));
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
    TRY(MPI_Win_flush_all(win));
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    TRY(MPI_Rget(&in, 1, MPI_INT, rank, 0, 1, MPI_INT, win, &request));
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_INT(in, 10 + before);
    TRY(MPI_Raccumulate(&out, 1, MPI_INT, 0, 3, 1, MPI_INT, MPI_SUM, win, &request));
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
    TRY(MPI_Rget_accumulate(&out, 1, MPI_INT, &in, 1, MPI_INT, rank, 1, 1, MPI_INT, MPI_REPLACE, win, &request));
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_INT(in, 2);
    TRY(MPI_Win_unlock_all(win));
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 0)
        CHECK_INT(window[3], 4 + 10 * size + size * (size - 1) / 2);
    TRY(MPI_Win_free(&win));
    // A window that memory is attached to later: displacements are addresses.
    MPI_Aint mine_at, theirs_at;
    TRY(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    TRY(MPI_Win_attach(win, window, sizeof window));
    TRY(MPI_Get_address(window, &mine_at));
    TRY(MPI_Sendrecv(&mine_at, 1, MPI_AINT, before, 0, &theirs_at, 1, MPI_AINT, next, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    TRY(MPI_Win_fence(0, win));
    TRY(MPI_Put(&rank, 1, MPI_INT, next, MPI_Aint_add(theirs_at, sizeof(int)), 1, MPI_INT, win));
    TRY(MPI_Win_fence(0, win));
    CHECK_INT(window[1], before);
    TRY(MPI_Win_detach(win, window));
    TRY(MPI_Win_free(&win));
    return check_end();
}
