// Every predefined operation on the floating-point and complex types of C; NaN and infinity; what is not allowed.
// large: yes
#include "ops.h"
#include <complex.h>
#include <math.h>

OPS_ARITHMETIC(MPI_FLOAT, float)
OPS_ARITHMETIC(MPI_DOUBLE, double)

#define COMPLEX(mpi, type, part) \
    static void complex_##mpi(void) \
    { \
        part out[2 * OPS_COUNT], sum[2 * OPS_COUNT], product[2 * OPS_COUNT]; \
        for (int i = 0; i < OPS_COUNT; i++) { \
            out[2 * i] = (part)(rank + i); \
            out[2 * i + 1] = (part)(i % 3 - 1); \
        } \
        TRY(MPI_Allreduce(out, sum, OPS_COUNT, mpi, MPI_SUM, MPI_COMM_WORLD)); \
        TRY(MPI_Allreduce(out, product, OPS_COUNT, mpi, MPI_PROD, MPI_COMM_WORLD)); \
        for (int i = 0; i < OPS_COUNT; i++) { \
            part re = 1, im = 0, re_sum = 0, im_sum = 0; \
            for (int r = 0; r < size; r++) { \
                part x = (part)(r + i), y = (part)(i % 3 - 1), re_new = re * x - im * y; \
                im = re * y + im * x; \
                re = re_new; \
                re_sum += x; \
                im_sum += y; \
            } \
            CHECK_REAL(sum[2 * i], re_sum); \
            CHECK_REAL(sum[2 * i + 1], im_sum); \
            /* Beyond 2^24 a float rounds, in the order of the library. */ \
            CHECK(fabs((double)(product[2 * i] - re)) <= 1e-5 * (fabs((double)re) + fabs((double)im))); \
            CHECK(fabs((double)(product[2 * i + 1] - im)) <= 1e-5 * (fabs((double)re) + fabs((double)im))); \
        } \
    }

COMPLEX(MPI_C_FLOAT_COMPLEX, float complex, float)
COMPLEX(MPI_C_DOUBLE_COMPLEX, double complex, double)
COMPLEX(MPI_CXX_FLOAT_COMPLEX, float complex, float)
COMPLEX(MPI_CXX_DOUBLE_COMPLEX, double complex, double)

int main(int argc, char **argv)
{
    double value, got = 0;
    check_begin(&argc, &argv);
    OPS_RUN_ARITHMETIC(MPI_FLOAT, float)
    OPS_RUN_ARITHMETIC(MPI_DOUBLE, double)
    complex_MPI_C_FLOAT_COMPLEX();
    complex_MPI_C_DOUBLE_COMPLEX();
    complex_MPI_CXX_FLOAT_COMPLEX();
    complex_MPI_CXX_DOUBLE_COMPLEX();
    value = rank == size - 1 ? INFINITY : 1;
    TRY(MPI_Allreduce(&value, &got, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD));
    CHECK(isinf(got) && got > 0);
    value = rank == 0 ? NAN : 1;
    TRY(MPI_Allreduce(&value, &got, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
    CHECK(isnan(got));
    // Not for these types.
    FAILS(MPI_Allreduce(&value, &got, 1, MPI_DOUBLE, MPI_BAND, MPI_COMM_WORLD), MPI_ERR_OP);
    FAILS(MPI_Allreduce(&value, &got, 1, MPI_DOUBLE, MPI_BXOR, MPI_COMM_WORLD), MPI_ERR_OP);
    FAILS(MPI_Allreduce(&value, &got, 1, MPI_DOUBLE, MPI_MINLOC, MPI_COMM_WORLD), MPI_ERR_OP);
    FAILS(MPI_Allreduce(&value, &got, 1, MPI_C_FLOAT_COMPLEX, MPI_MAX, MPI_COMM_WORLD), MPI_ERR_OP);
    return check_end();
}
