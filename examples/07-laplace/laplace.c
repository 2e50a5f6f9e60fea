// native: no (the arrays are part of Rankine's SDK)
/* Laplace's equation on a square whose upper edge has the potential 1, by successive over-relaxation: cells of one colour of
 * a chessboard read only those of the other, and are computed in place. With --view it can be watched.
 *
 * Usage: laplace [CELLS [STEPS]] */
#include <math.h>
#include <rankine/arrays.h>
#include <rankine/view.h>
#include <stdio.h>
#include <stdlib.h>

/* Computes the cells of one colour that this rank owns and that don't lie at the edge of the square. */
static void relax(double *u, const Rankine_Dimension *rows, const Rankine_Dimension *columns, int colour, double omega)
{
    int width = rows->stride;
    for (int i = 0; i < rows->count; i++)
        for (int j = (rows->first + i + columns->first + colour) % 2; j < columns->count; j += 2) {
            int row = rows->first + i, column = columns->first + j;
            if (row == 0 || row == rows->extent - 1 || column == 0 || column == columns->extent - 1)
                continue;
            double *cell = &u[(i + rows->below) * width + j + columns->below];
            double mean = 0.25 * (cell[-width] + cell[width] + cell[-1] + cell[1]);
            *cell += omega * (mean - *cell);
        }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 64, steps = argc > 2 ? atoi(argv[2]) : 200, rank, owner;
    Rankine_Grid grid;
    Rankine_Array u;
    Rankine_Dimension rows, columns;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    Rankine_Grid_create(MPI_COMM_WORLD, 2, NULL, &grid);
    Rankine_Range block = Rankine_ghosts(Rankine_block(n), 1, 1), ranges[2] = {block, block};
    Rankine_Array_create("u", grid, 2, ranges, MPI_DOUBLE, &u);
    Rankine_Array_dimension(u, 0, &rows);
    Rankine_Array_dimension(u, 1, &columns);
    double *local = Rankine_Array_local(u);
    if (rows.first == 0)
        for (int j = 0; j < columns.count; j++)
            local[rows.below * rows.stride + columns.below + j] = 1;

    int middle[2] = {n / 2, n / 2}, place = (n / 2 - rows.first + rows.below) * rows.stride + n / 2 - columns.first + columns.below;
    Rankine_Array_owner(u, middle, &owner);
    double omega = 2 / (1 + sin(acos(-1) / n));
    for (int step = 1; step <= steps; step++) {
        Rankine_View_update(MPI_COMM_WORLD);
        for (int colour = 0; colour < 2; colour++) {
            Rankine_Write_halo(u);
            relax(local, &rows, &columns, colour, omega);
        }
        Rankine_Array_show(u, "potential", step);
        if (rank == owner)
            Rankine_View_curve("middle", step, local[place]);
    }

    double *all = rank == 0 ? malloc((size_t)n * n * sizeof *all) : NULL, sum = 0;
    Rankine_Array_gather(u, 0, all);
    /* The same bits with any number of ranks: all numbers come together in one order. */
    if (rank == 0) {
        for (int k = 0; k < n * n; k++)
            sum += all[k];
        printf("%d x %d cells, %d steps: middle %.12f, sum %.9f\n", n, n, steps, all[n / 2 * n + n / 2], sum);
    }
    free(all);
    Rankine_Array_free(&u);
    Rankine_Grid_free(&grid);
    MPI_Finalize();
    return 0;
}
