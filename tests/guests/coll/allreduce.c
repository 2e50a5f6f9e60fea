// MPI_Allreduce: every size, in place; the same bits on every rank.
// large: yes
#include "../check.h"

enum { LARGEST = 60000 };
static double out[LARGEST], in[LARGEST + 1], first[LARGEST];

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    for (int count = 0; count <= LARGEST; count = count * 8 + 1)
        for (int in_place = 0; in_place < 2; in_place++) {
            in[count] = -5;
            for (int i = 0; i < count; i++)
                (in_place ? in : out)[i] = rank * 3 + i;
            TRY(MPI_Allreduce(in_place ? MPI_IN_PLACE : out, in, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
            for (int i = 0; i < count; i++)
                CHECK_REAL(in[i], 3.0 * size * (size - 1) / 2 + (double)size * i);
            CHECK_REAL(in[count], -5);
        }
    // Sums that are not exact: whatever they are, they are so everywhere.
    for (int i = 0; i < 1000; i++)
        out[i] = 1.0 / (1 + rank + i * 7);
    TRY(MPI_Allreduce(out, in, 1000, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
    memcpy(first, in, 1000 * sizeof *in);
    TRY(MPI_Bcast(first, 1000, MPI_DOUBLE, 0, MPI_COMM_WORLD));
    CHECK_BYTES(in, first, 1000 * sizeof *in);
    double most = rank, got;
    TRY(MPI_Allreduce(&most, &got, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_SELF));
    CHECK_REAL(got, rank);
    return check_end();
}
