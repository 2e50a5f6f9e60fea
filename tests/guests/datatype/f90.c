// MPI_Type_create_f90_integer, MPI_Type_create_f90_real, MPI_Type_create_f90_complex: types by decimal range and precision.
// ranks: 1 2
#include "../check.h"

static void expect(MPI_Datatype type, int bytes, int combiner, int arguments)
{
    int got = 0, integers, addresses, types, how;
    TRY(MPI_Type_size(type, &got));
    CHECK_INT(got, bytes);
    TRY(MPI_Type_get_envelope(type, &integers, &addresses, &types, &how));
    CHECK_INT(how, combiner);
    CHECK_INT(integers, arguments);
    CHECK_INT(types, 0);
}

int main(int argc, char **argv)
{
    MPI_Datatype type, again;
    int contents[2];
    check_begin(&argc, &argv);
    TRY(MPI_Type_create_f90_integer(2, &type));
    expect(type, 1, MPI_COMBINER_F90_INTEGER, 1);
    TRY(MPI_Type_create_f90_integer(9, &type));
    expect(type, 4, MPI_COMBINER_F90_INTEGER, 1);
    TRY(MPI_Type_create_f90_integer(9, &again));
    CHECK(type == again);
    TRY(MPI_Type_get_contents(type, 2, 0, 0, contents, NULL, NULL));
    CHECK_INT(contents[0], 9);
    TRY(MPI_Type_create_f90_integer(15, &type));
    expect(type, 8, MPI_COMBINER_F90_INTEGER, 1);
    TRY(MPI_Type_create_f90_real(6, 30, &type));
    expect(type, 4, MPI_COMBINER_F90_REAL, 2);
    TRY(MPI_Type_create_f90_real(15, MPI_UNDEFINED, &type));
    expect(type, 8, MPI_COMBINER_F90_REAL, 2);
    TRY(MPI_Type_create_f90_complex(6, 30, &type));
    expect(type, 8, MPI_COMBINER_F90_COMPLEX, 2);
    TRY(MPI_Type_create_f90_complex(15, 300, &type));
    expect(type, 16, MPI_COMBINER_F90_COMPLEX, 2);
    CHECK(MPI_Type_create_f90_integer(100, &type) != MPI_SUCCESS);
    return check_end();
}
