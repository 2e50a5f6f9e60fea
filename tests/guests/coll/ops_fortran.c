// The predefined operations on Fortran's types, whose layout is that of C's types of the same size.
#include "ops.h"

#define INTEGERS(X) \
    X(MPI_INTEGER, int32_t) \
    X(MPI_INTEGER1, int8_t) \
    X(MPI_INTEGER2, int16_t) \
    X(MPI_INTEGER4, int32_t) \
    X(MPI_INTEGER8, int64_t)
#define REALS(X) \
    X(MPI_REAL, float) \
    X(MPI_REAL4, float) \
    X(MPI_REAL8, double) \
    X(MPI_DOUBLE_PRECISION, double)

INTEGERS(OPS_ARITHMETIC)
INTEGERS(OPS_BITWISE)
REALS(OPS_ARITHMETIC)

int main(int argc, char **argv)
{
    int32_t all, any, mine;
    double complex_[2], sum[2];
    check_begin(&argc, &argv);
    INTEGERS(OPS_RUN_ARITHMETIC)
    INTEGERS(OPS_RUN_BITWISE)
    REALS(OPS_RUN_ARITHMETIC)
    // .TRUE. is any value but zero in what comes in; what comes out is zero or not.
    mine = rank == 0;
    TRY(MPI_Allreduce(&mine, &all, 1, MPI_LOGICAL, MPI_LAND, MPI_COMM_WORLD));
    TRY(MPI_Allreduce(&mine, &any, 1, MPI_LOGICAL, MPI_LOR, MPI_COMM_WORLD));
    CHECK_INT(all != 0, size == 1);
    CHECK_INT(any != 0, 1);
    complex_[0] = rank;
    complex_[1] = 1;
    TRY(MPI_Allreduce(complex_, sum, 1, MPI_DOUBLE_COMPLEX, MPI_SUM, MPI_COMM_WORLD));
    CHECK_REAL(sum[0], size * (size - 1) / 2);
    CHECK_REAL(sum[1], size);
    return check_end();
}
