// A grid and its rows, which nobody frees.
// ranks: 2 4
// engines: local
// run: --check
// exit: 4
// stderr: rankine: check: 2 findings
// stderr: something is made and never freed, or started and never completed
// stderr: MPI_Cart_create(
// stderr: MPI_Cart_sub(
// stderr: grid_left.c:
#include <mpi.h>

int main(int argc, char **argv)
{
    int size;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int sizes[2] = {0, 0}, wraps[2] = {0, 0}, keeps[2] = {0, 1};
    MPI_Comm grid, row;
    MPI_Dims_create(size, 2, sizes);
    MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, wraps, 0, &grid);
    MPI_Cart_sub(grid, keeps, &row);
    MPI_Barrier(row);
    return MPI_Finalize();
}
