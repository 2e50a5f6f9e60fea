// Distributed arrays that the page shows, each in one call; until the button `stop` is pressed.
//
// Element (i, j) of each is 100 i + j + 10000 (step modulo 10), and ghost cells are -1. `blocks` has some, `irregular` has
// nothing on the last ranks, `cyclic` is dealt out in turn, `copies` is held by several ranks, `row` has one dimension; of
// `box`, whose element (i, j, k) is that of its plane (j, k) and 1000 i, the page shows the plane in the middle. `breeze` and
// `wind` have vectors (10, 1) over `blocks`: of arrays that are distributed as that is, and in another way.
#include <mpi.h>
#include <rankine/arrays.h>
#include <rankine/view.h>
#include <time.h>

enum { ROWS = 7, COLUMNS = 10, PLANES = 5, ARRAYS = 6 };

static const char *const names[ARRAYS] = {"blocks", "irregular", "cyclic", "copies", "row", "box"};
static const MPI_Datatype types[ARRAYS] = {MPI_DOUBLE, MPI_INT, MPI_FLOAT, MPI_LONG_LONG, MPI_DOUBLE, MPI_DOUBLE};
static const int dimensions[ARRAYS] = {2, 2, 2, 2, 1, 3};

static void put(void *to, int at, MPI_Datatype type, int value)
{
    if (type == MPI_DOUBLE)
        ((double *)to)[at] = value;
    else if (type == MPI_FLOAT)
        ((float *)to)[at] = value;
    else if (type == MPI_INT)
        ((int *)to)[at] = value;
    else
        ((long long *)to)[at] = value;
}

static void fill(Rankine_Array array, int count, MPI_Datatype type, int level)
{
    Rankine_Dimension of[3] = {{.count = 1}, {.count = 1}, {.count = 1}};
    int index[3] = {0};
    /* The last of them are the array's. */
    for (int d = 0; d < count; d++)
        Rankine_Array_dimension(array, d, &of[3 - count + d]);
    for (int i = 0; i < of[0].count; i++)
        for (int j = 0; j < of[1].count; j++)
            for (int k = 0; k < of[2].count; k++) {
                int at[3] = {i + of[0].below, j + of[1].below, k + of[2].below}, place = 0;
                for (int d = 0; d < 3; d++)
                    place += at[d] * of[d].stride;
                for (int d = 0; d < count; d++)
                    index[3 - count + d] = Rankine_Array_global(array, d, at[3 - count + d]);
                put(Rankine_Array_local(array), place, type, 1000 * index[0] + 100 * index[1] + index[2] + 10000 * level);
            }
}

static Rankine_Array filled(Rankine_Grid grid, const Rankine_Range ranges[], double value)
{
    Rankine_Array array;
    Rankine_Array_create("vectors", grid, 2, ranges, MPI_DOUBLE, &array);
    Rankine_Array_fill(array, &value);
    return array;
}

int main(int argc, char **argv)
{
    int stop = 0, shape[2], last[64] = {ROWS};
    Rankine_Grid grid;
    Rankine_Array arrays[ARRAYS];
    MPI_Init(&argc, &argv);
    Rankine_Grid_create(MPI_COMM_WORLD, 2, NULL, &grid);
    Rankine_Grid_get(grid, shape, NULL);
    Rankine_Range ranges[ARRAYS][3] = {
        {Rankine_ghosts(Rankine_block(ROWS), 1, 2), Rankine_ghosts(Rankine_block(COLUMNS), 2, 1)},
        {Rankine_irregular(shape[0], last), Rankine_block(COLUMNS)},
        {Rankine_cyclic(ROWS, 1), Rankine_cyclic(COLUMNS, 2)},
        {Rankine_along(Rankine_block(ROWS), 1), Rankine_collapsed(COLUMNS)},
        {Rankine_cyclic(COLUMNS, 1)},
        {Rankine_ghosts(Rankine_collapsed(PLANES), 1, 1), Rankine_cyclic(ROWS, 2), Rankine_ghosts(Rankine_block(COLUMNS), 1, 0)},
    };
    for (int n = 0; n < ARRAYS; n++) {
        char element[8] = {0};
        put(element, 0, types[n], -1);
        Rankine_Array_create(names[n], grid, dimensions[n], ranges[n], types[n], &arrays[n]);
        Rankine_Array_fill(arrays[n], element);
    }
    Rankine_Array x = filled(grid, ranges[0], 10), breeze[2] = {x, filled(grid, ranges[0], 1)}, wind[2] = {x, filled(grid, ranges[2], 1)};
    Rankine_View_button("stop", &stop);
    for (long long step = 0; !stop && Rankine_View_on(); step++) {
        Rankine_View_update(MPI_COMM_WORLD);
        for (int n = 0; n < ARRAYS; n++) {
            fill(arrays[n], dimensions[n], types[n], (int)(step % 10));
            Rankine_Array_show(arrays[n], names[n], step);
        }
        Rankine_Array_arrows(breeze, arrays[0], "breeze", step);
        Rankine_Array_arrows(wind, arrays[0], "wind", step);
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
    for (int n = 0; n < ARRAYS; n++)
        Rankine_Array_free(&arrays[n]);
    Rankine_Array_free(&x);
    Rankine_Array_free(&breeze[1]);
    Rankine_Array_free(&wind[1]);
    Rankine_Grid_free(&grid);
    MPI_Finalize();
    return 0;
}
