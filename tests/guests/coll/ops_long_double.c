// Arithmetic on long double, which is wider in WebAssembly than the host's, and on complex ones.
#include "ops.h"

OPS_ARITHMETIC(MPI_LONG_DOUBLE, long double)

int main(int argc, char **argv)
{
    long double pair[2], sum[2];
    check_begin(&argc, &argv);
    OPS_RUN_ARITHMETIC(MPI_LONG_DOUBLE, long double)
    // More digits than a double has: they must not be lost.
    long double tiny = rank == 0 ? 1.0L : 0x1p-60L, got = 0, expected = 1.0L + (size - 1) * 0x1p-60L;
    TRY(MPI_Allreduce(&tiny, &got, 1, MPI_LONG_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
    CHECK(got == expected);
    pair[0] = rank;
    pair[1] = 2 * rank;
    TRY(MPI_Allreduce(pair, sum, 1, MPI_C_LONG_DOUBLE_COMPLEX, MPI_SUM, MPI_COMM_WORLD));
    CHECK_REAL(sum[0], size * (size - 1) / 2);
    CHECK_REAL(sum[1], size * (size - 1));
    return check_end();
}
