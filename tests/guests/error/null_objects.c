// Handlers and keyvals of windows and files, and intercommunicators from groups, as far as they need no window, file or session.
// ranks: 1 2
// native: no (a library may refuse differently)
#include "../check.h"

static int heard;

static void on_file(MPI_File *file, int *code, ...)
{
    (void)file;
    heard = *code;
}

static void on_win(MPI_Win *win, int *code, ...)
{
    (void)win;
    heard = *code;
}

int main(int argc, char **argv)
{
    MPI_Errhandler handler, got;
    MPI_Comm inter;
    int key, flag;
    void *value;
    check_begin(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);

    TRY(MPI_File_create_errhandler(on_file, &handler));
    TRY(MPI_File_set_errhandler(MPI_FILE_NULL, handler));
    TRY(MPI_File_get_errhandler(MPI_FILE_NULL, &got));
    CHECK(got == handler);
    TRY(MPI_File_call_errhandler(MPI_FILE_NULL, MPI_ERR_NO_SPACE));
    CHECK_INT(heard, MPI_ERR_NO_SPACE);
    TRY(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN));
    TRY(MPI_Errhandler_free(&handler));

    TRY(MPI_Win_create_errhandler(on_win, &handler));
    CHECK(MPI_Win_set_errhandler(MPI_WIN_NULL, handler) != MPI_SUCCESS);
    CHECK(MPI_Win_get_errhandler(MPI_WIN_NULL, &got) != MPI_SUCCESS);
    CHECK(MPI_Win_call_errhandler(MPI_WIN_NULL, MPI_ERR_OTHER) != MPI_SUCCESS);
    TRY(MPI_Errhandler_free(&handler));

    TRY(MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &key, NULL));
    CHECK(MPI_Win_set_attr(MPI_WIN_NULL, key, &key) != MPI_SUCCESS);
    CHECK(MPI_Win_get_attr(MPI_WIN_NULL, key, &value, &flag) != MPI_SUCCESS);
    CHECK(MPI_Win_delete_attr(MPI_WIN_NULL, key) != MPI_SUCCESS);
    TRY(MPI_Win_free_keyval(&key));
    CHECK(key == MPI_KEYVAL_INVALID);

    CHECK(MPI_Intercomm_create_from_groups(MPI_GROUP_NULL, 0, MPI_GROUP_NULL, 0, "null", MPI_INFO_NULL,
                                           MPI_ERRORS_RETURN, &inter) != MPI_SUCCESS);
    return check_end();
}
