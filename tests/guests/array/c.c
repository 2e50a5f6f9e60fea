// Distributed arrays in C: every operation on drawn distributions gives what indexing the whole array gives.
// ranks: 1 2 3 4 7 12
// native: no (the library is part of Rankine's SDK)
// run: --dir {scratch}::/tmp
#include "drawn.h"

enum { STRAIGHT, SHIFTED, TURNED };

static void compare(const int index[], double *element, void *state)
{
    const Whole *whole = state;
    int from[4];
    memcpy(from, index, sizeof from);
    double expected = -1;
    int extent = whole->extents[whole->dimension], k = index[whole->dimension] + whole->by;
    if (whole->kind == TURNED)
        k = ((k % extent) + extent) % extent;
    if (whole->kind == STRAIGHT)
        k = index[whole->dimension];
    from[whole->dimension] = k;
    if (k >= 0 && k < extent)
        expected = number(from, whole);
    CHECK(*element == expected);
}

static void moves(Rankine_Grid grid, int grid_dimensions)
{
    Whole whole = {.dimensions = 1 + below(4)};
    int all = 1, root = below(size);
    for (int d = 0; d < whole.dimensions; d++)
        all *= whole.extents[d] = 1 + below(9);
    Rankine_Array source = make("source", grid, whole.dimensions, grid_dimensions, whole.extents, MPI_DOUBLE);
    Rankine_Array target = make("target", grid, whole.dimensions, grid_dimensions, whole.extents, MPI_DOUBLE);
    each(source, whole.dimensions, set, &whole);
    Rankine_Remap remap;
    TRY(Rankine_Remap_create(target, source, &remap));
    for (int round = 0; round < 2; round++) {
        fill(target, -1);
        TRY(Rankine_Remap_run(remap, target, source));
        each(target, whole.dimensions, compare, &whole);
    }
    TRY(Rankine_Remap_free(&remap));
    whole.dimension = below(whole.dimensions);
    whole.by = below(20) - 10;
    fill(target, -1);
    whole.kind = SHIFTED;
    TRY(Rankine_Shift(target, source, whole.dimension, whole.by));
    each(target, whole.dimensions, compare, &whole);
    whole.kind = TURNED;
    TRY(Rankine_Cshift(target, source, whole.dimension, whole.by));
    each(target, whole.dimensions, compare, &whole);

    double *gathered = calloc(all, sizeof *gathered);
    TRY(Rankine_Array_gather(source, root, rank == root ? gathered : NULL));
    for (int n = 0; n < all && rank == root; n++)
        CHECK(gathered[n] == n);
    fill(target, -1);
    TRY(Rankine_Array_scatter(target, root, rank == root ? gathered : NULL));
    whole.kind = STRAIGHT;
    each(target, whole.dimensions, compare, &whole);
    free(gathered);

    double sum, greatest, least;
    int index[4];
    TRY(Rankine_Reduce(source, MPI_SUM, &sum));
    CHECK(sum == (double)all * (all - 1) / 2);
    TRY(Rankine_Extreme(target, MPI_MAX, &greatest, index));
    CHECK(greatest == all - 1 && number(index, &whole) == all - 1);
    TRY(Rankine_Extreme(target, MPI_MIN, &least, index));
    CHECK(least == 0 && number(index, &whole) == 0);
    TRY(Rankine_Dot(source, source, &sum));
    CHECK(sum == (double)(all - 1) * all * (2.0 * all - 1) / 6);
    TRY(Rankine_Array_free(&source));
    TRY(Rankine_Array_free(&target));
}

static void transposes(Rankine_Grid grid, int grid_dimensions)
{
    int extents[3] = {1 + below(7), 1 + below(7), 1 + below(7)}, order[3] = {2, 0, 1};
    int turned[3] = {extents[2], extents[0], extents[1]}, all = extents[0] * extents[1] * extents[2];
    Whole whole = {3, {extents[0], extents[1], extents[2]}, 0, 0, STRAIGHT};
    Rankine_Array source = make("source", grid, 3, grid_dimensions, extents, MPI_DOUBLE);
    Rankine_Array target = make("target", grid, 3, grid_dimensions, turned, MPI_DOUBLE);
    each(source, 3, set, &whole);
    TRY(Rankine_Transpose(target, source, order));
    double *gathered = calloc(all, sizeof *gathered);
    TRY(Rankine_Array_gather(target, 0, gathered));
    for (int n = 0; n < all && rank == 0; n++) {
        int index[3] = {n / extents[1] % extents[0], n % extents[1], n / extents[1] / extents[0]};
        CHECK(gathered[n] == number(index, &whole));
    }
    free(gathered);
    TRY(Rankine_Array_free(&source));
    TRY(Rankine_Array_free(&target));
}

/* Every cell that this rank stores is what the whole array has there, or -1. */
static void halos(Rankine_Grid grid, int grid_dimensions)
{
    int shape[3], periodic[3], widths[3][2], dimensions = 1 + below(3);
    Whole whole = {.dimensions = dimensions};
    Rankine_Range ranges[3];
    Rankine_Array array;
    Rankine_Dimension of[3];
    Rankine_Grid_get(grid, shape, NULL);
    for (int d = 0; d < dimensions; d++) {
        int parts = d < grid_dimensions ? shape[d] : 1;
        whole.extents[d] = 2 * parts + below(4);
        ranges[d] = d < grid_dimensions ? Rankine_block(whole.extents[d]) : Rankine_collapsed(whole.extents[d]);
        widths[d][0] = below(3);
        widths[d][1] = below(3);
        ranges[d] = Rankine_ghosts(ranges[d], widths[d][0], widths[d][1]);
        periodic[d] = below(2);
        if (periodic[d])
            ranges[d] = Rankine_periodic(ranges[d]);
    }
    TRY(Rankine_Array_create("u", grid, dimensions, ranges, MPI_DOUBLE, &array));
    for (int corners = 0; corners < 2; corners++) {
        fill(array, -1);
        each(array, dimensions, set, &whole);
        TRY(Rankine_Start_halo(array, corners ? RANKINE_CORNERS : RANKINE_FACES));
        TRY(Rankine_Finish_halo(array));
        long cells = 1;
        for (int d = 0; d < dimensions; d++) {
            TRY(Rankine_Array_dimension(array, d, &of[d]));
            cells *= of[d].room;
        }
        for (long cell = 0; cell < cells; cell++) {
            long rest = cell;
            int index[3], outside = 0, is_there = 1;
            for (int d = dimensions - 1; d >= 0; d--) {
                int at = (int)(rest % of[d].room);
                rest /= of[d].room;
                outside += at < of[d].below || at >= of[d].below + of[d].count;
                index[d] = of[d].first - of[d].below + at;
                if (periodic[d])
                    index[d] = (index[d] + whole.extents[d]) % whole.extents[d];
                is_there &= index[d] >= 0 && index[d] < whole.extents[d];
            }
            double expected = is_there && (outside <= 1 || corners) ? number(index, &whole) : -1;
            CHECK(((double *)Rankine_Array_local(array))[cell] == expected);
        }
    }
    TRY(Rankine_Array_free(&array));
}

static void files(Rankine_Grid grid, int grid_dimensions)
{
    char path[64] = "";
    if (rank == 0)
        snprintf(path, sizeof path, "/tmp/rankine-arrays-c-%d-%p-%.0f", size, (void *)&state, MPI_Wtime() * 1e6);
    TRY(MPI_Bcast(path, sizeof path, MPI_CHAR, 0, MPI_COMM_WORLD));
    Whole whole = {3, {1 + below(9), 1 + below(9), 1 + below(9)}, 0, 0, STRAIGHT};
    Rankine_Array source = make("source", grid, 3, grid_dimensions, whole.extents, MPI_DOUBLE);
    Rankine_Array target = make("target", grid, 3, grid_dimensions, whole.extents, MPI_DOUBLE);
    each(source, 3, set, &whole);
    fill(target, -1);
    TRY(Rankine_Write_npy(source, path));
    TRY(Rankine_Read_npy(target, path));
    each(target, 3, compare, &whole);
    int others[3] = {whole.extents[0], whole.extents[1], whole.extents[2] + 1};
    Rankine_Array other = make("other", grid, 3, grid_dimensions, others, MPI_DOUBLE);
    FAILS(Rankine_Read_npy(other, path), MPI_ERR_ARG);
    CHECK(strstr(Rankine_Arrays_error(), "array \"other\"") != NULL && strstr(Rankine_Arrays_error(), "other extents") != NULL);
    FAILS(Rankine_Read_npy(other, "/tmp/rankine-no-such-file"), MPI_ERR_ARG);
    TRY(Rankine_Array_free(&other));
    /* Several slabs. */
    Rankine_Range ranges[2] = {Rankine_block(700), Rankine_collapsed(1000)};
    TRY(Rankine_Array_create("large", grid, 2, ranges, MPI_DOUBLE, &other));
    Whole large = {2, {700, 1000}, 0, 0, STRAIGHT};
    each(other, 2, set, &large);
    TRY(Rankine_Write_npy(other, path));
    fill(other, -1);
    TRY(Rankine_Read_npy(other, path));
    each(other, 2, compare, &large);
    TRY(Rankine_Array_free(&other));
    TRY(Rankine_Array_free(&source));
    TRY(Rankine_Array_free(&target));
    if (rank == 0)
        CHECK_INT(remove(path), 0);
}

static void misuse(Rankine_Grid grid)
{
    char expected[200];
    Rankine_Grid other;
    Rankine_Array u, v, w;
    TRY(Rankine_Grid_create(MPI_COMM_WORLD, 1, NULL, &other));
    Rankine_Range block = Rankine_along(Rankine_block(4 * size), 0), ranges[2] = {block, Rankine_collapsed(8)}, owner[2] = {block, Rankine_collapsed(9)};
    TRY(Rankine_Array_create("u", grid, 2, ranges, MPI_DOUBLE, &u));
    TRY(Rankine_Array_create("v", other, 2, ranges, MPI_DOUBLE, &v));
    TRY(Rankine_Array_create("w", grid, 2, owner, MPI_DOUBLE, &w));
    REFUSED(Rankine_Copy(u, v), "array \"u\", rank %d: it lies over another grid than array \"v\"");
    REFUSED(Rankine_Copy(u, w), "array \"u\", dimension 1, rank %d: it has 8 indices, and array \"w\" has 9");
    REFUSED(Rankine_Copy(u, u), "array \"u\", rank %d: it can't be copied to itself");
    int index[2] = {0, 8}, who;
    REFUSED(Rankine_Array_owner(u, index, &who), "array \"u\", dimension 1, rank %d: nobody owns the index 8: it has 8 indices");
    ranges[0] = Rankine_periodic(Rankine_ghosts(Rankine_along(Rankine_block(2 * size), 0), 3, 1));
    Rankine_Array none;
    REFUSED(Rankine_Array_create("x", other, 2, ranges, MPI_DOUBLE, &none), "array \"x\", dimension 0, rank %d: its ghosts are 3 wide, but block 0 has only 2 elements");
    ranges[0] = Rankine_ghosts(Rankine_cyclic(9, 1), 1, 1);
    REFUSED(Rankine_Array_create("x", other, 2, ranges, MPI_DOUBLE, &none), "array \"x\", dimension 0, rank %d: a range that is dealt out in turn can't have ghost cells");
    REFUSED(Rankine_Finish_halo(u), "array \"u\", rank %d: no halo is under way that could be finished");
    REFUSED(Rankine_Grid_create(MPI_COMM_WORLD, 4, NULL, &other), "rank %d: a grid has 1 to 3 dimensions, not 4");
    TRY(Rankine_Array_free(&u));
    TRY(Rankine_Array_free(&v));
    TRY(Rankine_Array_free(&w));
    TRY(Rankine_Grid_free(&other));
}

/* An array over the program's memory: it keeps what is there, and leaves it behind. */
static void lent(Rankine_Grid grid, int dimensions)
{
    char expected[200];
    Rankine_Range ranges[3];
    Rankine_Dimension of;
    Rankine_Array array, none;
    size_t room = 1;
    for (int d = 0; d < dimensions; d++)
        ranges[d] = Rankine_ghosts(Rankine_block(3 * size + below(5)), below(3), below(3));
    TRY(Rankine_Array_create("u", grid, dimensions, ranges, MPI_DOUBLE, &array));
    for (int d = 0; d < dimensions; d++) {
        TRY(Rankine_Array_dimension(array, d, &of));
        room *= of.room;
    }
    TRY(Rankine_Array_free(&array));
    double *memory = malloc((room + 1) * sizeof *memory), before = 0, sum;
    for (size_t at = 0; at <= room; at++)
        memory[at] = 1;
    TRY(Rankine_Array_create_over(memory, room, "u", grid, dimensions, ranges, MPI_DOUBLE, &array));
    CHECK_INT(Rankine_Array_local(array) == memory, 1);
    TRY(Rankine_Write_halo(array));
    TRY(Rankine_Reduce(array, MPI_SUM, &sum));
    double all = 1, three = 3;
    for (int d = 0; d < dimensions; d++)
        all *= ranges[d].extent;
    CHECK_INT(sum == all, 1);
    TRY(Rankine_Array_fill(array, &three));
    TRY(Rankine_Array_free(&array));
    for (size_t at = 0; at < room; at++)
        before += memory[at] == 3;
    CHECK_INT(before == room && memory[room] == 1, 1);
    int code = Rankine_Array_create_over(memory, room + 1, "u", grid, dimensions, ranges, MPI_DOUBLE, &none);
    CHECK_INT(code, MPI_ERR_ARG);
    snprintf(expected, sizeof expected, "array \"u\", rank %d: this rank stores %zu of its elements, and is given %zu", rank, room, room + 1);
    CHECK_INT(strcmp(Rankine_Arrays_error(), expected), 0);
    free(memory);
}

/* Without --view nothing is shown, and what is wrong is an error all the same. */
static void shows(Rankine_Grid grid)
{
    char expected[200];
    const MPI_Datatype types[] = {MPI_DOUBLE, MPI_FLOAT, MPI_INT, MPI_INT64_T};
    Rankine_Array array;
    for (int dimensions = 1; dimensions <= 3; dimensions++)
        for (int type = 0; type < 4; type++) {
            int extents[3] = {1 + below(9), 1 + below(9), 1 + below(9)};
            array = make("shown", grid, dimensions, 1, extents, types[type]);
            TRY(Rankine_Array_show(array, "numbers", type));
            TRY(Rankine_Array_free(&array));
        }
    Rankine_Range ranges[4] = {Rankine_cyclic(9, 1), Rankine_collapsed(0), Rankine_collapsed(2), Rankine_collapsed(2)};
    TRY(Rankine_Array_create("u", grid, 4, ranges, MPI_DOUBLE, &array));
    REFUSED(Rankine_Array_show(array, "numbers", 0), "array \"u\", rank %d: it has 4 dimensions; arrays of 1 to 3 can be shown");
    TRY(Rankine_Array_free(&array));
    TRY(Rankine_Array_create("v", grid, 2, ranges, MPI_DOUBLE, &array));
    REFUSED(Rankine_Array_show(array, "numbers", 0), "array \"v\", dimension 1, rank %d: it has no elements that could be shown");
    TRY(Rankine_Array_free(&array));
    TRY(Rankine_Array_create("w", grid, 1, ranges, MPI_CHAR, &array));
    REFUSED(Rankine_Array_show(array, "numbers", 0), "array \"w\", rank %d: its elements can't be shown; reals and integers of 4 or 8 bytes can");
    TRY(Rankine_Array_free(&array));
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    TRY(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    for (int seed = 1; seed <= 30; seed++) {
        state = seed * 0x9e3779b97f4a7c15;
        Rankine_Grid grid;
        int dimensions = 1 + seed % 3;
        TRY(Rankine_Grid_create(MPI_COMM_WORLD, dimensions, NULL, &grid));
        moves(grid, dimensions);
        transposes(grid, dimensions);
        halos(grid, dimensions);
        lent(grid, dimensions);
        if (seed <= 3) {
            files(grid, dimensions);
            misuse(grid);
            shows(grid);
        }
        TRY(Rankine_Grid_free(&grid));
    }
    return check_end();
}
