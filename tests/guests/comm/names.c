// MPI_Comm_set_name, MPI_Comm_get_name: predefined names, names of one's own, none; a duplicate has none.
#include "../check.h"

int main(int argc, char **argv)
{
    char name[MPI_MAX_OBJECT_NAME], longest[MPI_MAX_OBJECT_NAME];
    int length = -1;
    MPI_Comm dup;
    check_begin(&argc, &argv);
    TRY(MPI_Comm_get_name(MPI_COMM_WORLD, name, &length));
    CHECK_STR(name, "MPI_COMM_WORLD");
    CHECK_INT(length, 14);
    TRY(MPI_Comm_get_name(MPI_COMM_SELF, name, &length));
    CHECK_STR(name, "MPI_COMM_SELF");
    TRY(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
    TRY(MPI_Comm_get_name(dup, name, &length));
    CHECK_STR(name, "");
    CHECK_INT(length, 0);
    TRY(MPI_Comm_set_name(dup, "ocean"));
    TRY(MPI_Comm_get_name(dup, name, &length));
    CHECK_STR(name, "ocean");
    CHECK_INT(length, 5);
    TRY(MPI_Comm_set_name(dup, ""));
    TRY(MPI_Comm_get_name(dup, name, &length));
    CHECK_STR(name, "");
    memset(longest, 'x', sizeof longest);
    longest[MPI_MAX_OBJECT_NAME - 1] = 0;
    TRY(MPI_Comm_set_name(dup, longest));
    TRY(MPI_Comm_get_name(dup, name, &length));
    CHECK_STR(name, longest);
    TRY(MPI_Comm_free(&dup));
    TRY(MPI_Comm_set_name(MPI_COMM_WORLD, "everybody"));
    TRY(MPI_Comm_get_name(MPI_COMM_WORLD, name, &length));
    CHECK_STR(name, "everybody");
    TRY(MPI_Comm_get_name(MPI_COMM_NULL, name, &length));
    CHECK_STR(name, "MPI_COMM_NULL");
    return check_end();
}
