/* Heat in a square plate: the left edge is hot, the others are cold, the inside finds its balance (Jacobi's method).
 *
 * The plate is cut into blocks, one for each rank of a Cartesian grid. In each step a rank sends the rim of its block
 * to its four neighbours and receives theirs into the ghost cells around its own (the halo exchange), while it computes
 * the inside, which needs no ghost cells.
 *
 * Usage: heat2d [CELLS [STEPS]]. Every cell is computed from the same four numbers in the same order, whatever rank
 * owns them: the results are the same, to the last bit, with any number of ranks.
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { UP, DOWN, LEFT, RIGHT };

typedef struct {
    int rows, columns;       /* of this rank's block, without ghost cells */
    int first_row, first_column;
    int width;               /* of a row with its ghost cells */
    double *now, *next;
} Block;

/* The share of `cells` that the place `index` of `count` gets; the first ones get one more if they don't divide. */
static void share(int cells, int count, int index, int *first, int *length)
{
    *first = index * (cells / count) + (index < cells % count ? index : cells % count);
    *length = cells / count + (index < cells % count);
}

static Block make_block(int cells, const int dims[2], const int coords[2])
{
    Block block;
    share(cells, dims[0], coords[0], &block.first_row, &block.rows);
    share(cells, dims[1], coords[1], &block.first_column, &block.columns);
    block.width = block.columns + 2;
    block.now = calloc((size_t)(block.rows + 2) * block.width, sizeof(double));
    block.next = calloc((size_t)(block.rows + 2) * block.width, sizeof(double));
    if (block.now == NULL || block.next == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    if (coords[1] == 0) /* the hot edge lies in the ghost cells of the blocks on the left */
        for (int row = 0; row < block.rows + 2; row++)
            block.now[row * block.width] = block.next[row * block.width] = 100;
    return block;
}

/* Starts to send the rim and to receive the ghost cells; nothing moves across an edge of the plate (MPI_PROC_NULL). */
static void start_exchange(const Block *block, MPI_Comm grid, const int neighbour[4], MPI_Datatype column, MPI_Request requests[8])
{
    int w = block->width, rows = block->rows, columns = block->columns;
    double *a = block->now;
    MPI_Irecv(&a[1], columns, MPI_DOUBLE, neighbour[UP], DOWN, grid, &requests[0]);
    MPI_Irecv(&a[(rows + 1) * w + 1], columns, MPI_DOUBLE, neighbour[DOWN], UP, grid, &requests[1]);
    MPI_Irecv(&a[w], 1, column, neighbour[LEFT], RIGHT, grid, &requests[2]);
    MPI_Irecv(&a[w + columns + 1], 1, column, neighbour[RIGHT], LEFT, grid, &requests[3]);
    MPI_Isend(&a[w + 1], columns, MPI_DOUBLE, neighbour[UP], UP, grid, &requests[4]);
    MPI_Isend(&a[rows * w + 1], columns, MPI_DOUBLE, neighbour[DOWN], DOWN, grid, &requests[5]);
    MPI_Isend(&a[w + 1], 1, column, neighbour[LEFT], LEFT, grid, &requests[6]);
    MPI_Isend(&a[w + columns], 1, column, neighbour[RIGHT], RIGHT, grid, &requests[7]);
}

/* Computes the cells of a rectangle, ends excluded; gives the largest change of a cell. */
static double relax(Block *block, int top, int bottom, int left, int right)
{
    int w = block->width;
    double change = 0;
    for (int row = top; row < bottom; row++)
        for (int column = left; column < right; column++) {
            const double *a = &block->now[row * w + column];
            double value = 0.25 * (a[-w] + a[w] + a[-1] + a[1]);
            change = fmax(change, fabs(value - a[0]));
            block->next[row * w + column] = value;
        }
    return change;
}

/* One step; gives the largest change of a cell of this block. */
static double step(Block *block, MPI_Comm grid, const int neighbour[4], MPI_Datatype column)
{
    MPI_Request requests[8];
    int rows = block->rows, columns = block->columns;
    start_exchange(block, grid, neighbour, column, requests);
    double change = relax(block, 2, rows, 2, columns);
    MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
    /* The rim: the first and last row, and what is left of the first and last column. */
    change = fmax(change, relax(block, 1, 2, 1, columns + 1));
    if (rows > 1)
        change = fmax(change, relax(block, rows, rows + 1, 1, columns + 1));
    change = fmax(change, relax(block, 2, rows, 1, 2));
    if (columns > 1)
        change = fmax(change, relax(block, 2, rows, columns, columns + 1));
    double *swap = block->now;
    block->now = block->next;
    block->next = swap;
    return change;
}

/* The temperature in the middle of the plate, on every rank: its owner has it, the others add nothing. */
static double middle(const Block *block, int cells, MPI_Comm grid)
{
    int row = cells / 2 - block->first_row + 1, column = cells / 2 - block->first_column + 1;
    int is_mine = row >= 1 && row <= block->rows && column >= 1 && column <= block->columns;
    double mine = is_mine ? block->now[row * block->width + column] : 0, value = 0;
    MPI_Allreduce(&mine, &value, 1, MPI_DOUBLE, MPI_MAX, grid);
    return value;
}

int main(int argc, char **argv)
{
    int rank, size, dims[2] = {0, 0}, periods[2] = {0, 0}, coords[2], neighbour[4];
    MPI_Comm grid;
    MPI_Datatype column;

    MPI_Init(&argc, &argv);
    int cells = argc > 1 ? atoi(argv[1]) : 64, steps = argc > 2 ? atoi(argv[2]) : 2000;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Dims_create(size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &grid);
    MPI_Comm_rank(grid, &rank);
    MPI_Cart_coords(grid, rank, 2, coords);
    MPI_Cart_shift(grid, 0, 1, &neighbour[UP], &neighbour[DOWN]);
    MPI_Cart_shift(grid, 1, 1, &neighbour[LEFT], &neighbour[RIGHT]);
    if (cells < dims[0]) {
        if (rank == 0)
            fprintf(stderr, "heat2d: %d ranks are too many for %d cells\n", size, cells);
        MPI_Abort(grid, 2);
    }

    Block block = make_block(cells, dims, coords);
    MPI_Type_vector(block.rows, 1, block.width, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);

    if (rank == 0)
        printf("%d x %d cells, %d x %d ranks\n", cells, cells, dims[0], dims[1]);
    double start = MPI_Wtime();
    for (int n = 1; n <= steps; n++) {
        double change = step(&block, grid, neighbour, column), residual;
        if (n % 500 != 0 && n != steps)
            continue;
        MPI_Allreduce(&change, &residual, 1, MPI_DOUBLE, MPI_MAX, grid);
        double temperature = middle(&block, cells, grid);
        if (rank == 0)
            printf("step %5d: residual %.12e, middle %.12f\n", n, residual, temperature);
    }
    if (rank == 0)
        fprintf(stderr, "%.3f seconds\n", MPI_Wtime() - start);

    MPI_Type_free(&column);
    MPI_Comm_free(&grid);
    free(block.now);
    free(block.next);
    MPI_Finalize();
    return 0;
}
