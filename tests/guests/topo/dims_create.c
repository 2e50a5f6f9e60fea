// MPI_Dims_create: as square as can be, in falling order, given dimensions kept.
// ranks: 1 2
#include "../check.h"

static void expect(int nodes, int n, const int *given, const int *wanted)
{
    int dims[4];
    memcpy(dims, given, n * sizeof *dims);
    TRY(MPI_Dims_create(nodes, n, dims));
    for (int d = 0; d < n; d++)
        CHECK_INT(dims[d], wanted[d]);
}

int main(int argc, char **argv)
{
    int dims[2];
    check_begin(&argc, &argv);
    expect(6, 2, (int[]){0, 0}, (int[]){3, 2});
    expect(7, 2, (int[]){0, 0}, (int[]){7, 1});
    expect(6, 3, (int[]){0, 3, 0}, (int[]){2, 3, 1});
    expect(12, 2, (int[]){0, 0}, (int[]){4, 3});
    expect(16, 2, (int[]){0, 0}, (int[]){4, 4});
    expect(24, 3, (int[]){0, 0, 0}, (int[]){4, 3, 2});
    expect(64, 3, (int[]){0, 0, 0}, (int[]){4, 4, 4});
    expect(1000, 3, (int[]){0, 0, 0}, (int[]){10, 10, 10});
    expect(8, 1, (int[]){0}, (int[]){8});
    expect(8, 2, (int[]){2, 4}, (int[]){2, 4});
    expect(1, 3, (int[]){0, 0, 0}, (int[]){1, 1, 1});
    dims[0] = 3;
    dims[1] = 0;
    FAILS(MPI_Dims_create(7, 2, dims), MPI_ERR_DIMS);
    dims[0] = -1;
    CHECK(MPI_Dims_create(6, 2, dims) != MPI_SUCCESS);
    return check_end();
}
