// Views of distributed arrays in C: what is done to parts of drawn arrays is what is done to parts of the whole.
// ranks: 1 2 3 4 7 12
// native: no (the library is part of Rankine's SDK)
// run: --dir {scratch}::/tmp
#include "drawn.h"
#include <math.h>

/* All elements of an array or a view, in C's order. */
typedef struct {
    int dimensions, extents[4], all;
    double *numbers;
} Dense;

static Dense dense(int dimensions, const int extents[])
{
    Dense made = {.dimensions = dimensions, .all = 1};
    for (int d = 0; d < dimensions; d++)
        made.all *= made.extents[d] = extents[d];
    made.numbers = calloc(made.all + 1, sizeof(double));
    return made;
}

static void unravel(const Dense *of, int n, int index[])
{
    for (int d = of->dimensions - 1; d >= 0; d--) {
        index[d] = n % of->extents[d];
        n /= of->extents[d];
    }
}

static double at(const Dense *of, const int index[])
{
    int n = 0;
    for (int d = 0; d < of->dimensions; d++)
        n = n * of->extents[d] + index[d];
    return of->numbers[n];
}

/* What is done to an array and to its elements. */
typedef struct {
    Rankine_Array array;
    Dense dense;
    int is_spread; /* MAYBE: the dimension along which it is may have gone */
} Both;

enum { MAYBE = 2 };

static Both section(const Both *of)
{
    int d = below(of->dense.dimensions), extent = of->dense.extents[d], extents[4], index[4];
    int step = 1 + below(3), count = 1 + below((extent - 1) / step + 1), first = below(extent - (count - 1) * step);
    Both made = {.is_spread = of->is_spread ? MAYBE : 0};
    if (below(2)) {
        first += (count - 1) * step;
        step = -step;
    }
    memcpy(extents, of->dense.extents, sizeof extents);
    extents[d] = count;
    made.dense = dense(of->dense.dimensions, extents);
    for (int n = 0; n < made.dense.all; n++) {
        unravel(&made.dense, n, index);
        index[d] = first + index[d] * step;
        made.dense.numbers[n] = at(&of->dense, index);
    }
    TRY(Rankine_Array_section(of->array, d, first, count, step, &made.array));
    return made;
}

static Both one(const Both *of)
{
    int d = below(of->dense.dimensions), chosen = below(of->dense.extents[d]), extents[4], index[4], own[4];
    Both made = {.is_spread = of->is_spread ? MAYBE : 0};
    for (int to = 0; to < of->dense.dimensions - 1; to++)
        extents[to] = of->dense.extents[to + (to >= d)];
    made.dense = dense(of->dense.dimensions - 1, extents);
    for (int n = 0; n < made.dense.all; n++) {
        unravel(&made.dense, n, own);
        for (int from = 0; from < of->dense.dimensions; from++)
            index[from] = from == d ? chosen : own[from - (from > d)];
        made.dense.numbers[n] = at(&of->dense, index);
    }
    TRY(Rankine_Array_at(of->array, d, chosen, &made.array));
    return made;
}

static Both turned(const Both *of)
{
    int order[4] = {0, 1, 2, 3}, extents[4], index[4], own[4], dimensions = of->dense.dimensions;
    Both made = {.is_spread = of->is_spread};
    for (int d = dimensions - 1; d > 0; d--) {
        int other = below(d + 1), swap = order[d];
        order[d] = order[other];
        order[other] = swap;
    }
    for (int d = 0; d < dimensions; d++)
        extents[d] = of->dense.extents[order[d]];
    made.dense = dense(dimensions, extents);
    for (int n = 0; n < made.dense.all; n++) {
        unravel(&made.dense, n, own);
        for (int d = 0; d < dimensions; d++)
            index[order[d]] = own[d];
        made.dense.numbers[n] = at(&of->dense, index);
    }
    TRY(Rankine_Array_transposed(of->array, order, &made.array));
    return made;
}

static Both spread(const Both *of)
{
    int d = below(of->dense.dimensions + 1), extents[4], index[4], own[4];
    Both made = {.is_spread = 1};
    for (int to = 0; to <= of->dense.dimensions; to++)
        extents[to] = to == d ? 1 + below(4) : of->dense.extents[to - (to > d)];
    made.dense = dense(of->dense.dimensions + 1, extents);
    for (int n = 0; n < made.dense.all; n++) {
        unravel(&made.dense, n, own);
        for (int from = 0; from < of->dense.dimensions; from++)
            index[from] = own[from + (from >= d)];
        made.dense.numbers[n] = at(&of->dense, index);
    }
    TRY(Rankine_Array_spread(of->array, d, extents[d], &made.array));
    return made;
}

static void check_all(Rankine_Array array, const Dense *expected)
{
    double *all = calloc(expected->all + 1, sizeof *all);
    TRY(Rankine_Array_gather(array, RANKINE_ALL, all));
    CHECK(memcmp(all, expected->numbers, expected->all * sizeof *all) == 0);
    free(all);
}

static void reductions(const Both *of)
{
    double sum = 0, squares = 0, greatest = -1, got;
    int place = 0, index[4], expected[4];
    for (int n = 0; n < of->dense.all; n++) {
        sum += of->dense.numbers[n];
        squares += of->dense.numbers[n] * of->dense.numbers[n];
        if (of->dense.numbers[n] > greatest)
            greatest = of->dense.numbers[place = n];
    }
    TRY(Rankine_Reduce(of->array, MPI_SUM, &got));
    CHECK(got == sum);
    TRY(Rankine_Norm(of->array, RANKINE_NORM_1, &got));
    CHECK(got == sum);
    TRY(Rankine_Norm(of->array, RANKINE_NORM_2, &got));
    CHECK(got == sqrt(squares));
    TRY(Rankine_Norm(of->array, RANKINE_NORM_MAX, &got));
    CHECK(got == greatest);
    TRY(Rankine_Extreme(of->array, MPI_MAX, &got, index));
    unravel(&of->dense, place, expected);
    CHECK(got == greatest && memcmp(index, expected, of->dense.dimensions * sizeof *index) == 0);
}

static void along(const Both *of)
{
    int d = below(of->dense.dimensions), extents[4], index[4], own[4];
    Rankine_Array result;
    if (of->dense.dimensions == 1) {
        FAILS(Rankine_Reduce_along(of->array, 0, MPI_SUM, &result), MPI_ERR_ARG);
        return;
    }
    for (int to = 0; to < of->dense.dimensions - 1; to++)
        extents[to] = of->dense.extents[to + (to >= d)];
    Dense sums = dense(of->dense.dimensions - 1, extents), least = dense(of->dense.dimensions - 1, extents);
    for (int n = 0; n < sums.all; n++) {
        unravel(&sums, n, own);
        for (int k = 0; k < of->dense.extents[d]; k++) {
            for (int from = 0; from < of->dense.dimensions; from++)
                index[from] = from == d ? k : own[from - (from > d)];
            double number = at(&of->dense, index);
            sums.numbers[n] += number;
            least.numbers[n] = k == 0 || number < least.numbers[n] ? number : least.numbers[n];
        }
    }
    TRY(Rankine_Reduce_along(of->array, d, MPI_SUM, &result));
    check_all(result, &sums);
    TRY(Rankine_Array_free(&result));
    TRY(Rankine_Reduce_along(of->array, d, MPI_MIN, &result));
    check_all(result, &least);
    TRY(Rankine_Array_free(&result));
    free(sums.numbers);
    free(least.numbers);
}

static void copies(const Both *of, Rankine_Grid grid, int grid_dimensions)
{
    double product, expected = 0;
    Rankine_Array target = make("target", grid, of->dense.dimensions, grid_dimensions, of->dense.extents, MPI_DOUBLE);
    fill(target, -1);
    TRY(Rankine_Copy(target, of->array));
    check_all(target, &of->dense);
    for (int n = 0; n < of->dense.all; n++)
        expected += of->dense.numbers[n] * of->dense.numbers[n];
    TRY(Rankine_Dot(target, of->array, &product));
    CHECK(product == expected);
    TRY(Rankine_Array_free(&target));
}

/* Writes to a view, and finds what was written in the array that it is of: its elements are their places there. */
static void writes(const Both *of, Rankine_Array base, Dense *all)
{
    if (of->is_spread == MAYBE)
        return;
    Dense new = dense(of->dense.dimensions, of->dense.extents);
    double value = -7;
    if (of->is_spread) {
        FAILS(Rankine_Array_scatter(of->array, 0, new.numbers), MPI_ERR_ARG);
        CHECK(strstr(Rankine_Arrays_error(), "a view that spreads it can't be written to") != NULL);
        free(new.numbers);
        return;
    }
    for (int n = 0; n < new.all; n++) {
        new.numbers[n] = n + 0.5;
        all->numbers[(int)of->dense.numbers[n]] = n + 0.5;
    }
    TRY(Rankine_Array_scatter(of->array, size - 1, new.numbers));
    check_all(base, all);
    TRY(Rankine_Array_fill(of->array, &value));
    for (int n = 0; n < new.all; n++)
        all->numbers[(int)of->dense.numbers[n]] = value;
    check_all(base, all);
    free(new.numbers);
}

static void files(const Both *of, Rankine_Grid grid, int grid_dimensions, const char *path)
{
    const int formats[] = {RANKINE_NPY, RANKINE_RAW, RANKINE_NPY | RANKINE_MPI_IO, RANKINE_RAW | RANKINE_MPI_IO};
    Rankine_Array target = make("target", grid, of->dense.dimensions, grid_dimensions, of->dense.extents, MPI_DOUBLE);
    for (int n = 0; n < 4; n++) {
        TRY(Rankine_Write(of->array, path, formats[n]));
        fill(target, -1);
        /* Written by one way, read by the other. */
        TRY(Rankine_Read(target, path, formats[(n + 2) % 4]));
        check_all(target, &of->dense);
    }
    TRY(Rankine_Array_free(&target));
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        CHECK_INT(remove(path), 0);
}

static void views(Rankine_Grid grid, int grid_dimensions, const char *path)
{
    int extents[4], dimensions = 1 + below(4);
    for (int d = 0; d < dimensions; d++)
        extents[d] = 1 + below(7);
    Whole whole = {.dimensions = dimensions};
    memcpy(whole.extents, extents, sizeof extents);
    Both chain[5] = {{make("u", grid, dimensions, grid_dimensions, extents, MPI_DOUBLE), dense(dimensions, extents), 0}};
    int links = 1 + below(5);
    each(chain[0].array, dimensions, set, &whole);
    for (int n = 0; n < chain[0].dense.all; n++)
        chain[0].dense.numbers[n] = n;
    for (int n = 1; n < links; n++) {
        const Both *of = &chain[n - 1];
        int kind = below(4);
        chain[n] = kind == 0 && of->dense.dimensions > 1 ? one(of) : kind == 1 ? turned(of) : kind == 2 && of->dense.dimensions < 4 ? spread(of) : section(of);
    }
    const Both *last = &chain[links - 1];
    check_all(last->array, &last->dense);
    reductions(last);
    along(last);
    copies(last, grid, grid_dimensions);
    if (path != NULL)
        files(last, grid, grid_dimensions, path);
    writes(last, chain[0].array, &chain[0].dense);
    while (links-- > 0) {
        TRY(Rankine_Array_free(&chain[links].array));
        free(chain[links].dense.numbers);
    }
}

static void misuse(Rankine_Grid grid)
{
    char expected[200];
    Rankine_Range ranges[2] = {Rankine_block(8), Rankine_collapsed(5)};
    Rankine_Array u, view, other;
    Rankine_Dimension of;
    int order[2] = {1, 1};
    TRY(Rankine_Array_create("u", grid, 2, ranges, MPI_DOUBLE, &u));
    REFUSED(Rankine_Array_section(u, 0, 2, 4, 2, &view), "array \"u\", dimension 0, rank %d: a section of 4 indices from 2 to 8 was asked for, and it has the indices 0 to 7");
    REFUSED(Rankine_Array_section(u, 2, 0, 1, 1, &view), "array \"u\", rank %d: it has no dimension 2");
    REFUSED(Rankine_Array_at(u, 1, 5, &view), "array \"u\", dimension 1, rank %d: nobody owns the index 5: it has 5 indices");
    REFUSED(Rankine_Array_transposed(u, order, &view), "array \"u\", dimension 1, rank %d: an order of dimensions names it twice");
    TRY(Rankine_Array_at(u, 0, 3, &view));
    CHECK(Rankine_Array_local(view) == NULL);
    REFUSED(Rankine_Array_dimension(view, 0, &of), "array \"u\", rank %d: a view of it has no local part: ask the array");
    REFUSED(Rankine_Write_halo(view), "array \"u\", rank %d: a view of it has no ghost cells: write the array's halo");
    REFUSED(Rankine_Array_at(view, 0, 0, &other), "array \"u\", rank %d: it has one dimension, and a view has one at least");
    TRY(Rankine_Array_free(&view));
    TRY(Rankine_Array_free(&u));
}

int main(int argc, char **argv)
{
    char path[64] = "";
    check_begin(&argc, &argv);
    TRY(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    if (rank == 0)
        snprintf(path, sizeof path, "/tmp/rankine-views-%d-%p-%.0f", size, (void *)&state, MPI_Wtime() * 1e6);
    TRY(MPI_Bcast(path, sizeof path, MPI_CHAR, 0, MPI_COMM_WORLD));
    for (int seed = 1; seed <= 60; seed++) {
        state = seed * 0x9e3779b97f4a7c15;
        Rankine_Grid grid;
        int dimensions = 1 + seed % 3;
        TRY(Rankine_Grid_create(MPI_COMM_WORLD, dimensions, NULL, &grid));
        views(grid, dimensions, seed % 5 == 0 ? path : NULL);
        if (seed == 1)
            misuse(grid);
        TRY(Rankine_Grid_free(&grid));
    }
    return check_end();
}
