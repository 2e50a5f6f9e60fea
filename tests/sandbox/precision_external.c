// Types that Fortran chooses by their precision, in the external representation: MPICH ends the process, so they are refused
// before it hears of them.
// ranks: 1
// engines: mpi
#include "hostile.h"

int main(int argc, char **argv)
{
    MPI_Datatype types[4];
    char packed[256];
    double numbers[8] = {1, 2, 3, 4};
    hostile_begin(&argc, &argv);
    TRY(MPI_Type_create_f90_real(4, 1, &types[0]));
    TRY(MPI_Type_create_f90_complex(15, 100, &types[1]));
    TRY(MPI_Type_create_f90_integer(9, &types[2]));
    TRY(MPI_Type_vector(2, 1, 2, types[2], &types[3]));
    TRY(MPI_Type_commit(&types[3]));
    for (int i = 0; i < 4; i++) {
        MPI_Aint position = 0, size;
        FAILS(MPI_Pack_external_size("external32", 1, types[i], &size), MPI_ERR_TYPE);
        FAILS(MPI_Pack_external("external32", numbers, 1, types[i], packed, sizeof packed, &position), MPI_ERR_TYPE);
        FAILS(MPI_Unpack_external("external32", packed, sizeof packed, &position, numbers, 1, types[i]), MPI_ERR_TYPE);
    }
    TRY(MPI_Type_free(&types[3]));
    return hostile_end();
}
