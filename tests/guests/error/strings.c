// MPI_Add_error_string: a text may have lines, and is whole when it comes back; a code or class that has one can't be removed.
// ranks: 1 2
#include "../check.h"

int main(int argc, char **argv)
{
    int class = -1, code = -1, length = -1;
    char text[MPI_MAX_ERROR_STRING];
    check_begin(&argc, &argv);
    TRY(MPI_Add_error_class(&class));
    TRY(MPI_Add_error_code(class, &code));
    TRY(MPI_Add_error_string(code, "two\nlines,\tand a tab"));
    TRY(MPI_Error_string(code, text, &length));
    CHECK_STR(text, "two\nlines,\tand a tab");
    CHECK_INT(length, strlen(text));
    CHECK(MPI_Remove_error_code(code) != MPI_SUCCESS);
    TRY(MPI_Error_string(code, text, &length));
    CHECK_STR(text, "two\nlines,\tand a tab");
    TRY(MPI_Add_error_string(code, "one line"));
    TRY(MPI_Error_string(code, text, &length));
    CHECK_STR(text, "one line");
    TRY(MPI_Add_error_string(class, "a\nclass"));
    TRY(MPI_Error_string(class, text, &length));
    CHECK_STR(text, "a\nclass");
    CHECK(MPI_Remove_error_class(class) != MPI_SUCCESS);
    TRY(MPI_Remove_error_string(code));
    TRY(MPI_Error_string(code, text, &length));
    CHECK_STR(text, "");
    TRY(MPI_Remove_error_string(class));
    if (embedded()) { // MPICH 5.0 fails to remove a code that had a string.
        CHECK(MPI_Remove_error_class(class) != MPI_SUCCESS);
        TRY(MPI_Remove_error_code(code));
        TRY(MPI_Remove_error_class(class));
    }
    return check_end();
}
