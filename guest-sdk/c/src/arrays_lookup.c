/* Irregular access: elements named by arrays of indices. */
#include "arrays_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Places in memory for each rank, one rank after the other. */
typedef struct {
    int *counts, *starts; /* the starts have an end */
    MPI_Aint *all;
} Places;

struct Rankine_Lookup_ {
    Layout values, table;
    MPI_Aint size;
    Places of_values; /* which other ranks have or want */
    Places of_table;  /* which other ranks want or give */
};

static int places_make(Places *places, int ranks)
{
    places->counts = calloc(ranks, sizeof *places->counts);
    places->starts = calloc(ranks + 1, sizeof *places->starts);
    return places->counts != NULL && places->starts != NULL ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

/* Makes room, when it is known how many there are. */
static int places_begin(Places *places, int ranks)
{
    for (int rank = 0; rank < ranks; rank++)
        if (__builtin_add_overflow(places->starts[rank], places->counts[rank], &places->starts[rank + 1]))
            return MPI_ERR_COUNT;
    places->all = malloc((places->starts[ranks] > 0 ? places->starts[ranks] : 1) * sizeof *places->all);
    return places->all != NULL ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

static void places_free(Places *places)
{
    free(places->counts);
    free(places->starts);
    free(places->all);
}

/* What is looked up, while that goes on. */
typedef struct {
    Rankine_Array values, table;
    const Rankine_Array *indices;
    Held held[MANY];           /* of the values */
    Held of_indices[MANY][MANY];
    int many;                  /* values here */
    int *wanted;               /* the index of each: a number for each dimension of the table */
    int *ranks;                /* who has each */
    int wrong;                 /* the first value whose index nobody owns, and in which dimension of the table; -1 */
    int wrong_dimension;
} Search;

static int check(Rankine_Array values, const Rankine_Array indices[], Rankine_Array table)
{
    const Layout *layout = &values->layout;
    if (layout->grid != table->layout.grid)
        return arrays_misuse(layout->grid, values->name, -1, "it lies over another grid than array \"%s\"", table->name);
    if (values->size != table->size)
        return arrays_misuse(layout->grid, values->name, -1, "its elements have other sizes than those of array \"%s\"", table->name);
    for (int q = 0; q < table->layout.dimensions; q++) {
        TRY(array_check_extents(values, indices[q]));
        if (array_kind(indices[q]) != 'i' || indices[q]->size != sizeof(int))
            return arrays_misuse(layout->grid, indices[q]->name, -1, "its elements are no indices, which are of the type int");
        if (!layout_is_aligned(layout, &indices[q]->layout))
            return arrays_misuse(layout->grid, values->name, -1, "it is distributed in another way than its indices, array \"%s\"", indices[q]->name);
    }
    return MPI_SUCCESS;
}

/* Where the n-th of the elements is that this rank holds. */
static MPI_Aint place_of(const Layout *layout, const Held held[], int n)
{
    MPI_Aint place = layout->offset;
    for (int d = layout->dimensions - 1; d >= 0; d--) {
        place += held[d].places[n % held[d].count];
        n /= held[d].count;
    }
    return place;
}

static int owner(const Layout *table, const int index[], int *dimension)
{
    int coords[RANKINE_GRID_DIMENSIONS];
    MPI_Aint place;
    Rankine_Grid_get(table->grid, NULL, coords);
    for (int along = 0; along < table->grid->dimensions; along++)
        if (table->fixed[along] >= 0)
            coords[along] = table->fixed[along];
    for (int q = 0; q < table->dimensions; q++) {
        if (index[q] < 0 || index[q] >= table->cuts[q].count) {
            *dimension = q;
            return -1;
        }
        if (table->axes[q].along >= 0)
            coords[table->axes[q].along] = layout_part(table, q, index[q], &place);
    }
    return grid_rank(table->grid, coords);
}

/* Reads this rank's indices, and finds who owns them. */
static void read_indices(Search *search, Places *places)
{
    const Layout *table = &search->table->layout;
    int base = table->grid->is_fortran, width = table->dimensions;
    search->wrong = -1;
    for (int n = 0; n < search->many; n++) {
        int *index = search->wanted + n * width, dimension = 0;
        for (int q = 0; q < width; q++) {
            Rankine_Array of = search->indices[q];
            index[q] = ((const int *)of->data)[place_of(&of->layout, search->of_indices[q], n)] - base;
        }
        search->ranks[n] = owner(table, index, &dimension);
        if (search->ranks[n] >= 0)
            places->counts[search->ranks[n]]++;
        else if (search->wrong < 0) {
            search->wrong = n;
            search->wrong_dimension = dimension;
        }
    }
}

/* An index or extents, as the program counts dimensions. */
static void list(const Layout *table, const int numbers[], int base, char text[80])
{
    int length = snprintf(text, 80, "[");
    for (int q = 0; q < table->dimensions; q++) {
        int number = numbers[table->grid->is_fortran ? table->dimensions - 1 - q : q] + base;
        length += snprintf(text + length, 80 - length, "%s%d", q > 0 ? ", " : "", number);
    }
    snprintf(text + length, 80 - length, "]");
}

/* Makes an index that nobody owns an error at all ranks. */
static int agree(const Search *search)
{
    const Layout *table = &search->table->layout;
    Rankine_Grid grid = table->grid;
    int first = search->wrong >= 0 ? grid->rank : grid->size;
    char index[80], extents[80];
    TRY(MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, grid->comm));
    if (first == grid->size)
        return MPI_SUCCESS;
    if (search->wrong < 0) {
        /* Those that were wrong say more, if the job ends. */
        if (!grid->returns_errors)
            MPI_Barrier(grid->comm);
        return arrays_misuse(grid, search->table->name, -1, "rank %d had an error in this operation", first);
    }
    int counts[MANY];
    for (int q = 0; q < table->dimensions; q++)
        counts[q] = table->cuts[q].count;
    list(table, search->wanted + search->wrong * table->dimensions, grid->is_fortran, index);
    list(table, counts, 0, extents);
    return arrays_misuse(
        grid, search->table->name, grid_shown(grid, table->dimensions, search->wrong_dimension),
        "nobody owns the index %s: it has the extents %s", index, extents
    );
}

/* Orders this rank's values by the ranks that have them, and gives these the indices. */
static int ask(Search *search, Places *of_values, Places *of_table)
{
    const Layout *table = &search->table->layout;
    Rankine_Grid grid = table->grid;
    int width = table->dimensions, code = MPI_ERR_NO_MEM;
    MPI_Datatype index;
    TRY(places_begin(of_values, grid->size));
    TRY(MPI_Alltoall(of_values->counts, 1, MPI_INT, of_table->counts, 1, MPI_INT, grid->comm));
    TRY(places_begin(of_table, grid->size));
    TRY(MPI_Type_contiguous(width, MPI_INT, &index));
    TRY(MPI_Type_commit(&index));
    int many = of_table->starts[grid->size];
    int *next = malloc(grid->size * sizeof *next), *give = malloc((search->many + 1) * width * sizeof *give), *come = malloc((many + 1) * width * sizeof *come);
    if (next != NULL && give != NULL && come != NULL) {
        memcpy(next, of_values->starts, grid->size * sizeof *next);
        for (int n = 0; n < search->many; n++) {
            int to = next[search->ranks[n]]++;
            of_values->all[to] = place_of(&search->values->layout, search->held, n);
            memcpy(give + to * width, search->wanted + n * width, width * sizeof *give);
        }
        code = MPI_Alltoallv(give, of_values->counts, of_values->starts, index, come, of_table->counts, of_table->starts, index, grid->comm);
    }
    for (int n = 0; n < many && code == MPI_SUCCESS; n++) {
        of_table->all[n] = table->offset;
        for (int q = 0; q < width; q++) {
            MPI_Aint place;
            layout_part(table, q, come[n * width + q], &place);
            of_table->all[n] += place;
        }
    }
    free(next);
    free(give);
    free(come);
    MPI_Type_free(&index);
    return code;
}

static int hold(Search *search)
{
    const Layout *values = &search->values->layout;
    int width = search->table->layout.dimensions;
    size_t numbers;
    TRY(layout_held(values, search->held));
    for (int q = 0; q < width; q++)
        TRY(layout_held(&search->indices[q]->layout, search->of_indices[q]));
    search->many = 1;
    for (int d = 0; d < values->dimensions; d++)
        if (__builtin_mul_overflow(search->many, search->held[d].count, &search->many))
            return MPI_ERR_COUNT;
    if (__builtin_mul_overflow((size_t)search->many + 1, width * sizeof(int), &numbers))
        return MPI_ERR_COUNT;
    search->wanted = malloc(numbers);
    search->ranks = malloc(((size_t)search->many + 1) * sizeof(int));
    return search->wanted != NULL && search->ranks != NULL ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

static int look_up(Search *search, struct Rankine_Lookup_ *made)
{
    int ranks = search->table->layout.grid->size;
    TRY(layout_copy(&made->values, &search->values->layout));
    TRY(layout_copy(&made->table, &search->table->layout));
    TRY(places_make(&made->of_values, ranks));
    TRY(places_make(&made->of_table, ranks));
    TRY(hold(search));
    read_indices(search, &made->of_values);
    TRY(agree(search));
    return ask(search, &made->of_values, &made->of_table);
}

static void lookup_free(struct Rankine_Lookup_ *lookup)
{
    layout_free(&lookup->values);
    layout_free(&lookup->table);
    places_free(&lookup->of_values);
    places_free(&lookup->of_table);
}

int Rankine_Lookup_create(Rankine_Array values, const Rankine_Array indices[], Rankine_Array table, Rankine_Lookup *lookup)
{
    struct Rankine_Lookup_ made = {.size = values->size};
    Search search = {.values = values, .table = table, .indices = indices};
    TRY(check(values, indices, table));
    int code = look_up(&search, &made);
    held_free(search.held);
    for (int q = 0; q < MANY; q++)
        held_free(search.of_indices[q]);
    free(search.wanted);
    free(search.ranks);
    *lookup = code == MPI_SUCCESS ? malloc(sizeof made) : NULL;
    if (*lookup == NULL) {
        lookup_free(&made);
        return code != MPI_SUCCESS ? code : MPI_ERR_NO_MEM;
    }
    **lookup = made;
    return MPI_SUCCESS;
}

int Rankine_Lookup_free(Rankine_Lookup *lookup)
{
    lookup_free(*lookup);
    free(*lookup);
    *lookup = NULL;
    return MPI_SUCCESS;
}

static int check_use(Rankine_Lookup lookup, Rankine_Array values, Rankine_Array table)
{
    if (values->size == lookup->size && table->size == lookup->size && layout_equal(&values->layout, &lookup->values) && layout_equal(&table->layout, &lookup->table))
        return MPI_SUCCESS;
    return arrays_misuse(
        table->layout.grid, table->name, -1, "these indices were looked up for arrays that are distributed in another way than this one and \"%s\"", values->name
    );
}

/* Gives every rank its part of an array's elements, and makes room for what comes. */
static int exchange(Rankine_Array from, const Places *give, const Places *take, char **come)
{
    Rankine_Grid grid = from->layout.grid;
    int ranks = grid->size, code = MPI_ERR_NO_MEM;
    size_t size = from->size;
    char *given = malloc((give->starts[ranks] + 1) * size);
    *come = malloc((take->starts[ranks] + 1) * size);
    if (given != NULL && *come != NULL) {
        for (int n = 0; n < give->starts[ranks]; n++)
            memcpy(given + n * size, (const char *)from->data + give->all[n] * (MPI_Aint)size, size);
        code = MPI_Alltoallv(given, give->counts, give->starts, from->element, *come, take->counts, take->starts, from->element, grid->comm);
    }
    free(given);
    return code;
}

int Rankine_Lookup_take(Rankine_Lookup lookup, Rankine_Array values, Rankine_Array table)
{
    char *come = NULL;
    TRY(check_use(lookup, values, table));
    TRY(array_check_written(values));
    int code = exchange(table, &lookup->of_table, &lookup->of_values, &come);
    for (int n = 0; n < lookup->of_values.starts[table->layout.grid->size] && code == MPI_SUCCESS; n++)
        memcpy((char *)values->data + lookup->of_values.all[n] * values->size, come + n * values->size, values->size);
    free(come);
    return code;
}

static int is_held_once(const Layout *layout)
{
    for (int along = 0; along < layout->grid->dimensions; along++)
        if (layout->grid->shape[along] > 1 && !layout_is_determined(layout, along))
            return 0;
    return 1;
}

static int combine(Rankine_Array table, const Places *places, int count, const char *come, MPI_Op op)
{
    int are_sums = op == MPI_SUM && array_kind(table) == 'f' && table->size == sizeof(double);
    for (int n = 0; n < count; n++) {
        char *to = (char *)table->data + places->all[n] * table->size;
        const char *value = come + n * table->size;
        if (op == MPI_REPLACE)
            memcpy(to, value, table->size);
        else if (are_sums)
            *(double *)to += *(const double *)value;
        else
            TRY(MPI_Reduce_local(value, to, 1, table->element, op));
    }
    return MPI_SUCCESS;
}

int Rankine_Lookup_put(Rankine_Lookup lookup, Rankine_Array table, Rankine_Array values, MPI_Op op)
{
    char *come = NULL;
    TRY(check_use(lookup, values, table));
    TRY(array_check_written(table));
    if (!is_held_once(&table->layout) || !is_held_once(&values->layout))
        return arrays_misuse(table->layout.grid, table->name, -1, "values can be put neither from nor to an array that several ranks hold copies of");
    int code = exchange(values, &lookup->of_values, &lookup->of_table, &come);
    if (code == MPI_SUCCESS)
        code = combine(table, &lookup->of_table, lookup->of_table.starts[table->layout.grid->size], come, op);
    free(come);
    return code;
}
