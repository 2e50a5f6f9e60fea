// Grids of more dimensions than any job has ranks for: refused, or as quick as others.
// ranks: 1 4
// engines: local
#include "hostile.h"

int main(int argc, char **argv)
{
    enum { MOST = 1 << 20, SOME = 1024 };
    static int ones[MOST], numbers[3 * SOME];
    static char bytes[2 * SOME];
    int source, dest, ndims = -1;
    MPI_Comm grid;
    hostile_begin(&argc, &argv);
    for (int i = 0; i < MOST; i++)
        ones[i] = 1;
    for (int ndims = SOME + 1; ndims <= MOST; ndims = ndims * 3 / 2) {
        FAILS(MPI_Cart_create(MPI_COMM_SELF, ndims, ones, ones, 0, &grid), MPI_ERR_DIMS);
        FAILS(MPI_Cart_map(MPI_COMM_SELF, ndims, ones, ones, numbers), MPI_ERR_DIMS);
    }
    FAILS(MPI_Cart_create(MPI_COMM_SELF, MOST, ones, ones, 0, &grid), MPI_ERR_DIMS);
    TRY(MPI_Dims_create(1, MOST, ones));
    TRY(MPI_Cart_create(MPI_COMM_WORLD, SOME, ones, ones, 0, &grid));
    if (rank == 0) {
        TRY(MPI_Cartdim_get(grid, &ndims));
        CHECK_INT(ndims, SOME);
        for (int i = 0; i < 100; i++) {
            TRY(MPI_Neighbor_allgather(bytes, 0, MPI_BYTE, bytes, 0, MPI_BYTE, grid));
            TRY(MPI_Cart_shift(grid, SOME - 1 - i, i, &source, &dest));
            CHECK(source == 0 && dest == 0);
        }
        TRY(MPI_Cart_get(grid, SOME, numbers, numbers + SOME, numbers + 2 * SOME));
        CHECK_INT(numbers[3 * SOME - 1], 0);
        TRY(MPI_Comm_free(&grid));
    }
    return hostile_end();
}
