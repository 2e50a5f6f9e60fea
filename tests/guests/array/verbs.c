// Distributed arrays in C: parts of halos, skews, compiled shifts, elements named by indices, files that NumPy wrote.
// ranks: 1 2 3 4 7 12
// native: no (the library is part of Rankine's SDK)
// run: --dir {scratch}::/tmp
#include "drawn.h"

/* What a cell holds after a halo of these widths: what the whole array has there, or -1. */
static void check_halo(Rankine_Array array, const Whole *whole, const int widths[3][2], int corners)
{
    Rankine_Dimension of[3];
    long cells = 1;
    for (int d = 0; d < whole->dimensions; d++) {
        TRY(Rankine_Array_dimension(array, d, &of[d]));
        cells *= of[d].room;
    }
    for (long cell = 0; cell < cells; cell++) {
        long rest = cell;
        int index[3], outside = 0, is_written = 1;
        for (int d = whole->dimensions - 1; d >= 0; d--) {
            int from_first = (int)(rest % of[d].room) - of[d].below, from_last = from_first - of[d].count;
            rest /= of[d].room;
            outside += from_first < 0 || from_last >= 0;
            is_written &= from_first >= -widths[d][0] && from_last < widths[d][1];
            index[d] = (of[d].first + from_first + whole->extents[d]) % whole->extents[d];
        }
        double expected = is_written && (outside <= 1 || corners) ? number(index, whole) : -1;
        CHECK(((double *)Rankine_Array_local(array))[cell] == expected);
    }
}

static void halos(Rankine_Grid grid, int grid_dimensions)
{
    int shape[3], widths[3][2], dimensions = 1 + below(3);
    Whole whole = {.dimensions = dimensions};
    Rankine_Range ranges[3];
    Rankine_Array array;
    Rankine_Grid_get(grid, shape, NULL);
    for (int d = 0; d < dimensions; d++) {
        whole.extents[d] = 2 * (d < grid_dimensions ? shape[d] : 1) + below(4);
        ranges[d] = d < grid_dimensions ? Rankine_block(whole.extents[d]) : Rankine_collapsed(whole.extents[d]);
        ranges[d] = Rankine_periodic(Rankine_ghosts(ranges[d], 2, 1));
    }
    TRY(Rankine_Array_create("u", grid, dimensions, ranges, MPI_DOUBLE, &array));
    for (int round = 0; round < 4; round++) {
        Rankine_Halo halo = round % 2 ? Rankine_corners() : Rankine_faces();
        for (int d = 0; d < dimensions; d++) {
            widths[d][0] = below(3);
            widths[d][1] = below(2);
            int is_skipped = widths[d][0] == 0 && widths[d][1] == 0;
            halo = is_skipped ? Rankine_skip(halo, d) : Rankine_width(halo, d, widths[d][0], widths[d][1]);
        }
        fill(array, -1);
        each(array, dimensions, set, &whole);
        /* Twice: the second time it is there already. */
        TRY(Rankine_Write_halo_of(array, halo));
        TRY(Rankine_Start_halo_of(array, halo));
        FAILS(Rankine_Start_halo_of(array, halo), MPI_ERR_ARG);
        TRY(Rankine_Finish_halo(array));
        check_halo(array, &whole, widths, round % 2);
    }
    TRY(Rankine_Array_free(&array));
}

typedef struct {
    Whole whole;
    int along, dimension, by;
} Skew;

static void skewed(const int index[], double *element, void *state)
{
    const Skew *skew = state;
    int from[4], extent = skew->whole.extents[skew->dimension];
    memcpy(from, index, sizeof from);
    int k = (index[skew->dimension] + skew->by * (skew->along < 0 ? 1 : index[skew->along])) % extent;
    from[skew->dimension] = (k + extent) % extent;
    CHECK(*element == number(from, &skew->whole));
}

static void skews(Rankine_Grid grid, int grid_dimensions)
{
    Skew skew = {.whole = {.dimensions = 2 + below(3)}};
    int dimensions = skew.whole.dimensions;
    Rankine_Remap remap;
    for (int d = 0; d < dimensions; d++)
        skew.whole.extents[d] = 1 + below(7);
    skew.dimension = below(dimensions);
    skew.along = (skew.dimension + 1 + below(dimensions - 1)) % dimensions;
    skew.by = below(9) - 4;
    Rankine_Array source = make("source", grid, dimensions, grid_dimensions, skew.whole.extents, MPI_DOUBLE);
    Rankine_Array target = make("target", grid, dimensions, grid_dimensions, skew.whole.extents, MPI_DOUBLE);
    each(source, dimensions, set, &skew.whole);
    TRY(Rankine_Skew(target, source, skew.dimension, skew.along, skew.by));
    each(target, dimensions, skewed, &skew);
    TRY(Rankine_Remap_create_skew(target, source, skew.dimension, skew.along, -skew.by, &remap));
    for (int round = 0; round < 2; round++)
        TRY(Rankine_Remap_run(remap, target, source));
    TRY(Rankine_Remap_free(&remap));
    skew.by = -skew.by;
    each(target, dimensions, skewed, &skew);
    skew.along = -1;
    TRY(Rankine_Remap_create_cshift(target, source, skew.dimension, skew.by, &remap));
    fill(target, -1);
    TRY(Rankine_Remap_run(remap, target, source));
    each(target, dimensions, skewed, &skew);
    TRY(Rankine_Remap_free(&remap));
    TRY(Rankine_Remap_create_shift(target, source, skew.dimension, 0, &remap));
    fill(target, -1);
    TRY(Rankine_Remap_run(remap, target, source));
    skew.by = 0;
    each(target, dimensions, skewed, &skew);
    TRY(Rankine_Remap_free(&remap));
    TRY(Rankine_Array_free(&source));
    TRY(Rankine_Array_free(&target));
}

/* The index in a dimension of the table that a value has. */
static int chosen(int value, int q, int extent)
{
    return (value * 7 + q * 5 + value / 3) % extent;
}

typedef struct {
    Whole values, table;
} Named;

static double named(int value, const Named *names)
{
    int index[4];
    for (int q = 0; q < names->table.dimensions; q++)
        index[q] = chosen(value, q, names->table.extents[q]);
    return number(index, &names->table);
}

static void check_taken(const int index[], double *element, void *state)
{
    const Named *names = state;
    CHECK(*element == named((int)number(index, &names->values), names));
}

/* Elements of the table were -1, and to each was added what all values have that name it. */
static void check_sums(const int index[], double *element, void *state)
{
    const Named *names = state;
    double expected = -1;
    int all = 1;
    for (int d = 0; d < names->values.dimensions; d++)
        all *= names->values.extents[d];
    for (int value = 0; value < all; value++)
        if (named(value, names) == number(index, &names->table))
            expected += value;
    CHECK(*element == expected);
}

static void check_greatest(const int index[], double *element, void *state)
{
    const Named *names = state;
    double expected = -1;
    int all = 1;
    for (int d = 0; d < names->values.dimensions; d++)
        all *= names->values.extents[d];
    for (int value = 0; value < all; value++)
        if (named(value, names) == number(index, &names->table))
            expected = value;
    CHECK(*element == expected);
}

/* Elements that no value names are -1, and the others one of the values that name them. */
static void check_replaced(const int index[], double *element, void *state)
{
    const Named *names = state;
    double place = number(index, &names->table);
    int all = 1, is_named = 0;
    for (int d = 0; d < names->values.dimensions; d++)
        all *= names->values.extents[d];
    for (int value = 0; value < all; value++)
        is_named |= named(value, names) == place;
    CHECK(is_named ? *element >= 0 && *element < all && named((int)*element, names) == place : *element == -1);
}

/* An array of indices that is distributed as the values are. */
static Rankine_Array indices(Rankine_Grid grid, int grid_dimensions, const Named *names, int q)
{
    Rankine_Array made = make("indices", grid, names->values.dimensions, grid_dimensions, names->values.extents, MPI_INT);
    Rankine_Dimension of[4];
    int all = 1, index[4];
    for (int d = 0; d < names->values.dimensions; d++) {
        TRY(Rankine_Array_dimension(made, d, &of[d]));
        all *= of[d].count;
    }
    for (int n = 0; n < all; n++) {
        int rest = n, place = 0;
        for (int d = names->values.dimensions - 1; d >= 0; d--) {
            index[d] = Rankine_Array_global(made, d, rest % of[d].count);
            place += rest % of[d].count * of[d].stride;
            rest /= of[d].count;
        }
        ((int *)Rankine_Array_local(made))[place] = chosen((int)number(index, &names->values), q, names->table.extents[q]);
    }
    return made;
}

static int is_held_once(Rankine_Array array, const Whole *whole)
{
    Rankine_Dimension of;
    long mine = 1, held, all = 1;
    for (int d = 0; d < whole->dimensions; d++) {
        TRY(Rankine_Array_dimension(array, d, &of));
        mine *= of.count;
        all *= whole->extents[d];
    }
    TRY(MPI_Allreduce(&mine, &held, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD));
    return held == all;
}

static void lookups(Rankine_Grid grid, int grid_dimensions)
{
    Named names = {{.dimensions = 1 + below(3)}, {.dimensions = 1 + below(3)}};
    Rankine_Array of[3];
    Rankine_Lookup lookup;
    for (int d = 0; d < 3; d++) {
        names.values.extents[d] = 1 + below(6);
        names.table.extents[d] = 1 + below(6);
    }
    Rankine_Array table = make("table", grid, names.table.dimensions, grid_dimensions, names.table.extents, MPI_DOUBLE);
    unsigned long long before = state;
    Rankine_Array values = make("values", grid, names.values.dimensions, grid_dimensions, names.values.extents, MPI_DOUBLE);
    for (int q = 0; q < names.table.dimensions; q++) {
        state = before;
        of[q] = indices(grid, grid_dimensions, &names, q);
    }
    each(table, names.table.dimensions, set, &names.table);
    TRY(Rankine_Lookup_create(values, of, table, &lookup));
    TRY(Rankine_Lookup_take(lookup, values, table));
    each(values, names.values.dimensions, check_taken, &names);
    each(values, names.values.dimensions, set, &names.values);
    if (is_held_once(table, &names.table) && is_held_once(values, &names.values)) {
        fill(table, -1);
        TRY(Rankine_Lookup_put(lookup, table, values, MPI_SUM));
        each(table, names.table.dimensions, check_sums, &names);
        fill(table, -1);
        TRY(Rankine_Lookup_put(lookup, table, values, MPI_MAX));
        each(table, names.table.dimensions, check_greatest, &names);
        fill(table, -1);
        TRY(Rankine_Lookup_put(lookup, table, values, MPI_REPLACE));
        each(table, names.table.dimensions, check_replaced, &names);
    } else if (size > 1) {
        FAILS(Rankine_Lookup_put(lookup, table, values, MPI_SUM), MPI_ERR_ARG);
        CHECK(strstr(Rankine_Arrays_error(), "that several ranks hold copies of") != NULL);
    }
    TRY(Rankine_Lookup_free(&lookup));
    for (int q = 0; q < names.table.dimensions; q++)
        TRY(Rankine_Array_free(&of[q]));
    TRY(Rankine_Array_free(&values));
    TRY(Rankine_Array_free(&table));
}

/* The numbers of an array of other types. */
static void norms(Rankine_Grid grid)
{
    Rankine_Range range = Rankine_block(3 * size);
    Rankine_Dimension of;
    Rankine_Array array;
    double norm;
    TRY(Rankine_Array_create("int", grid, 1, &range, MPI_INT, &array));
    int value = -2;
    TRY(Rankine_Array_fill(array, &value));
    TRY(Rankine_Norm(array, RANKINE_NORM_1, &norm));
    CHECK(norm == 6.0 * size);
    TRY(Rankine_Norm(array, RANKINE_NORM_MAX, &norm));
    CHECK(norm == 2);
    TRY(Rankine_Dot(array, array, &norm));
    CHECK(norm == 12.0 * size);
    TRY(Rankine_Array_free(&array));
    TRY(Rankine_Array_create("complex", grid, 1, &range, MPI_C_DOUBLE_COMPLEX, &array));
    TRY(Rankine_Array_dimension(array, 0, &of));
    for (int n = 0; n < of.count; n++) {
        ((double *)Rankine_Array_local(array))[2 * n] = 3;
        ((double *)Rankine_Array_local(array))[2 * n + 1] = -4;
    }
    TRY(Rankine_Norm(array, RANKINE_NORM_MAX, &norm));
    CHECK(norm == 5);
    TRY(Rankine_Norm(array, RANKINE_NORM_1, &norm));
    CHECK(norm == 15.0 * size);
    TRY(Rankine_Array_free(&array));
}

/* A file in Fortran's order, as NumPy may save it: element [i, j] has the number 10 i + j. */
static void fortran_order(Rankine_Grid grid, const char *path)
{
    enum { ROWS = 4, COLUMNS = 3 };
    int extents[2] = {ROWS, COLUMNS};
    double all[ROWS * COLUMNS], number;
    if (rank == 0) {
        FILE *file = fopen(path, "wb");
        CHECK(file != NULL);
        char text[119];
        memset(text, ' ', sizeof text - 1);
        text[sizeof text - 1] = '\n';
        const char words[] = "{'descr': '<f8', 'fortran_order': True, 'shape': (4, 3), }";
        memcpy(text, words, sizeof words - 1);
        const unsigned char head[10] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, sizeof text, 0};
        fwrite(head, sizeof head, 1, file);
        fwrite(text, sizeof text, 1, file);
        for (int j = 0; j < COLUMNS; j++)
            for (int i = 0; i < ROWS; i++) {
                number = 10 * i + j;
                fwrite(&number, sizeof number, 1, file);
            }
        CHECK_INT(fclose(file), 0);
    }
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    Rankine_Array u = make("u", grid, 2, 1, extents, MPI_DOUBLE);
    for (int way = 0; way < 2; way++) {
        fill(u, -1);
        TRY(Rankine_Read(u, path, way == 0 ? RANKINE_NPY : RANKINE_NPY | RANKINE_MPI_IO));
        TRY(Rankine_Array_gather(u, RANKINE_ALL, all));
        for (int n = 0; n < ROWS * COLUMNS; n++)
            CHECK(all[n] == 10 * (n / COLUMNS) + n % COLUMNS);
    }
    TRY(Rankine_Array_free(&u));
}

/* Files that are too short, of other extents, no files. */
static void wrong_files(Rankine_Grid grid, const char *path)
{
    int extents[2] = {6, 5}, others[2] = {6, 4};
    Rankine_Array u = make("u", grid, 2, 1, extents, MPI_DOUBLE), v = make("v", grid, 2, 1, others, MPI_DOUBLE);
    for (int format = RANKINE_NPY; format <= RANKINE_RAW; format++)
        for (int way = 0; way <= RANKINE_MPI_IO; way += RANKINE_MPI_IO) {
            TRY(Rankine_Write(u, path, format | way));
            FAILS(Rankine_Read(v, path, format | way), MPI_ERR_ARG);
            CHECK(strstr(Rankine_Arrays_error(), "array \"v\"") != NULL && strstr(Rankine_Arrays_error(), "it has other extents") != NULL);
            FAILS(Rankine_Read(u, path, (RANKINE_RAW - format) | way), MPI_ERR_ARG);
            TRY(MPI_Barrier(MPI_COMM_WORLD));
            if (rank == 0) {
                char *bytes = malloc(1000);
                FILE *file = fopen(path, "rb");
                size_t length = fread(bytes, 1, 1000, file);
                fclose(file);
                file = fopen(path, "wb");
                fwrite(bytes, length - 8, 1, file);
                fclose(file);
                free(bytes);
            }
            TRY(MPI_Barrier(MPI_COMM_WORLD));
            FAILS(Rankine_Read(u, path, format | way), MPI_ERR_ARG);
            CHECK(strstr(Rankine_Arrays_error(), "it ends before its numbers do") != NULL);
            FAILS(Rankine_Read(u, "/tmp/rankine-no-such-file", format | way), MPI_ERR_ARG);
        }
    FAILS(Rankine_Write(u, path, 7), MPI_ERR_ARG);
    TRY(Rankine_Array_free(&u));
    TRY(Rankine_Array_free(&v));
}

static void misuse(Rankine_Grid grid)
{
    char expected[200];
    Rankine_Range ranges[2] = {Rankine_ghosts(Rankine_block(4 * size), 1, 1), Rankine_collapsed(5)};
    Rankine_Array u, v, w, indices[2], parts[2];
    Rankine_Lookup lookup;
    int far = 5;
    TRY(Rankine_Array_create("u", grid, 2, ranges, MPI_DOUBLE, &u));
    TRY(Rankine_Array_create("v", grid, 1, ranges, MPI_DOUBLE, &v));
    TRY(Rankine_Array_create("i", grid, 1, ranges, MPI_INT, &indices[0]));
    TRY(Rankine_Array_create("j", grid, 1, ranges, MPI_INT, &indices[1]));
    REFUSED(Rankine_Write_halo_of(u, Rankine_width(Rankine_faces(), 0, 2, 1)), "array \"u\", dimension 0, rank %d: a halo of 2 and 1 cells was asked for, and it has 1 and 1 ghosts");
    REFUSED(Rankine_Write_halo_of(v, Rankine_skip(Rankine_faces(), 1)), "array \"v\", rank %d: it has no dimension 1, whose halo was asked for");
    REFUSED(Rankine_Write_halo_of(v, Rankine_skip(Rankine_faces(), 9)), "array \"v\", rank %d: it has no dimension 9, whose halo was asked for");
    TRY(Rankine_Array_create("w", grid, 2, ranges, MPI_DOUBLE, &w));
    REFUSED(Rankine_Skew(u, v, 0, 0, 1), "array \"u\", rank %d: it has 2 dimensions, and array \"v\" has 1");
    REFUSED(Rankine_Skew(u, w, 0, 0, 1), "array \"u\", dimension 0, rank %d: a dimension can't be skewed along itself");
    REFUSED(Rankine_Cshift(u, w, -1, 1), "array \"u\", rank %d: it has no dimension -1");
    TRY(Rankine_Array_free(&w));
    if (rank == size - 1)
        TRY(Rankine_Array_fill(indices[1], &far));
    FAILS(Rankine_Lookup_create(v, indices, u, &lookup), MPI_ERR_ARG);
    if (rank == size - 1)
        snprintf(expected, sizeof expected, "array \"u\", dimension 1, rank %d: nobody owns the index [0, 5]: it has the extents [%d, 5]", rank, 4 * size);
    else
        snprintf(expected, sizeof expected, "array \"u\", rank %d: rank %d had an error in this operation", rank, size - 1);
    CHECK_STR(Rankine_Arrays_error(), expected);
    TRY(Rankine_Array_free(&indices[0]));
    indices[0] = v;
    REFUSED(Rankine_Lookup_create(v, indices, u, &lookup), "array \"v\", rank %d: its elements are no indices, which are of the type int");
    parts[0] = parts[1] = v;
    REFUSED(Rankine_Array_arrows(parts, NULL, "wind", 0), "array \"v\", rank %d: it has 1 dimensions; arrows are shown over 2 or 3, and have a part for each");
    parts[0] = parts[1] = u;
    TRY(Rankine_Array_arrows(parts, u, "wind", 0));
    REFUSED(Rankine_Norm(u, 9, NULL), "array \"u\", rank %d: there is no norm 9");
    TRY(Rankine_Array_free(&u));
    TRY(Rankine_Array_free(&v));
    TRY(Rankine_Array_free(&indices[1]));
}

int main(int argc, char **argv)
{
    char path[64] = "";
    check_begin(&argc, &argv);
    TRY(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    if (rank == 0)
        snprintf(path, sizeof path, "/tmp/rankine-verbs-%d-%p-%.0f", size, (void *)&state, MPI_Wtime() * 1e6);
    TRY(MPI_Bcast(path, sizeof path, MPI_CHAR, 0, MPI_COMM_WORLD));
    for (int seed = 1; seed <= 30; seed++) {
        state = seed * 0x9e3779b97f4a7c15;
        Rankine_Grid grid;
        int dimensions = 1 + seed % 3;
        TRY(Rankine_Grid_create(MPI_COMM_WORLD, dimensions, NULL, &grid));
        halos(grid, dimensions);
        skews(grid, dimensions);
        lookups(grid, dimensions);
        if (seed == 3) {
            norms(grid);
            fortran_order(grid, path);
            wrong_files(grid, path);
            misuse(grid);
        }
        TRY(Rankine_Grid_free(&grid));
    }
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 0)
        CHECK_INT(remove(path), 0);
    return check_end();
}
