// MPI_Type_match_size: the type of a class with so many bytes.
// ranks: 1 2
#include "../check.h"

static void expect(int class, int bytes)
{
    MPI_Datatype type = MPI_DATATYPE_NULL;
    int got = 0;
    TRY(MPI_Type_match_size(class, bytes, &type));
    CHECK(type != MPI_DATATYPE_NULL);
    TRY(MPI_Type_size(type, &got));
    CHECK_INT(got, bytes);
}

int main(int argc, char **argv)
{
    MPI_Datatype type;
    check_begin(&argc, &argv);
    for (int bytes = 1; bytes <= 8; bytes *= 2)
        expect(MPI_TYPECLASS_INTEGER, bytes);
    expect(MPI_TYPECLASS_REAL, 4);
    expect(MPI_TYPECLASS_REAL, 8);
    expect(MPI_TYPECLASS_COMPLEX, 8);
    expect(MPI_TYPECLASS_COMPLEX, 16);
    CHECK(MPI_Type_match_size(MPI_TYPECLASS_INTEGER, 3, &type) != MPI_SUCCESS);
    CHECK(MPI_Type_match_size(12345, 4, &type) != MPI_SUCCESS);
    return check_end();
}
