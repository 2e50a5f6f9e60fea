// MPI_Type_set_name, MPI_Type_get_name, MPI_Type_dup: a duplicate has no name of its own.
#include "../check.h"

int main(int argc, char **argv)
{
    char name[MPI_MAX_OBJECT_NAME];
    int length = -1;
    MPI_Datatype type, copy;
    check_begin(&argc, &argv);
    TRY(MPI_Type_contiguous(2, MPI_INT, &type));
    TRY(MPI_Type_get_name(type, name, &length));
    CHECK_INT(length, 0);
    CHECK_STR(name, "");
    TRY(MPI_Type_set_name(type, "two integers"));
    TRY(MPI_Type_get_name(type, name, &length));
    CHECK_STR(name, "two integers");
    CHECK_INT(length, 12);
    TRY(MPI_Type_dup(type, &copy));
    TRY(MPI_Type_get_name(copy, name, &length));
    CHECK_INT(length, 0);
    TRY(MPI_Type_free(&copy));
    TRY(MPI_Type_free(&type));
    TRY(MPI_Type_get_name(MPI_DOUBLE, name, &length));
    CHECK_STR(name, "MPI_DOUBLE");
    TRY(MPI_Type_get_name(MPI_DATATYPE_NULL, name, &length));
    CHECK_STR(name, "MPI_DATATYPE_NULL");
    CHECK_INT(length, strlen(name));
    // The name of a predefined type can be changed, too.
    TRY(MPI_Type_set_name(MPI_DOUBLE, "real"));
    TRY(MPI_Type_get_name(MPI_DOUBLE, name, &length));
    CHECK_STR(name, "real");
    return check_end();
}
