/* Reductions to one element. */
#include "arrays_internal.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

const char *array_row(Rankine_Array array, const char *row, const Held *last, char *packed)
{
    const MPI_Aint size = array->size;
    if (last->places[last->count - 1] - last->places[0] == last->count - 1 && (last->count < 2 || last->places[1] > last->places[0]))
        return row + last->places[0] * size;
    for (int n = 0; n < last->count; n++)
        memcpy(packed + n * size, row + last->places[n] * size, size);
    return packed;
}

static int each_held_row(Rankine_Array array, Held held[], char *packed, Visit visit, void *state)
{
    const Layout *layout = &array->layout;
    int last = layout->dimensions - 1, at[MANY] = {0};
    for (;;) {
        MPI_Aint place = layout->offset;
        for (int d = 0; d < last; d++)
            place += held[d].places[at[d]];
        const char *row = array_row(array, (const char *)array->data + place * array->size, &held[last], packed);
        TRY(visit(array, row, held[last].count, held, at, state));
        int d = last - 1;
        while (d >= 0 && ++at[d] == held[d].count)
            at[d--] = 0;
        if (d < 0)
            return MPI_SUCCESS;
    }
}

int array_each_row(Rankine_Array array, Visit visit, void *state)
{
    Held held[MANY];
    int is_empty = 0, last = array->layout.dimensions - 1, code = MPI_SUCCESS;
    TRY(layout_held(&array->layout, held));
    for (int d = 0; d <= last; d++)
        is_empty |= held[d].count == 0;
    if (!is_empty) {
        char *packed = malloc(held[last].count * array->size);
        code = packed == NULL ? MPI_ERR_NO_MEM : each_held_row(array, held, packed, visit, state);
        free(packed);
    }
    held_free(held);
    return code;
}

int array_fold(Rankine_Array array, char *elements, int count, MPI_Op op)
{
    for (int half; count > 1; count -= half) {
        half = count / 2;
        TRY(MPI_Reduce_local(elements + (count - half) * array->size, elements, half, array->element, op));
    }
    return MPI_SUCCESS;
}

typedef struct {
    MPI_Op op;
    char *sums; /* a row of them */
    int count;  /* how many there are already */
} Folding;

static int fold_row(Rankine_Array array, const char *row, int count, const Held held[], const int at[], void *state)
{
    Folding *folding = state;
    (void)held;
    (void)at;
    if (folding->count != 0)
        return MPI_Reduce_local(row, folding->sums, count, array->element, folding->op);
    folding->sums = malloc(count * array->size);
    if (folding->sums == NULL)
        return MPI_ERR_NO_MEM;
    folding->count = count;
    memcpy(folding->sums, row, count * array->size);
    return MPI_SUCCESS;
}

/* This rank's share; `is_empty` where it has none. */
static int fold(Rankine_Array array, MPI_Op op, void *result, int *is_empty)
{
    Folding folding = {op, NULL, 0};
    int code = MPI_SUCCESS;
    if (layout_is_first_holder(&array->layout))
        code = array_each_row(array, fold_row, &folding);
    if (code == MPI_SUCCESS)
        code = array_fold(array, folding.sums, folding.count, op);
    *is_empty = folding.count == 0;
    if (code == MPI_SUCCESS && folding.count != 0)
        memcpy(result, folding.sums, array->size);
    free(folding.sums);
    return code;
}

/* Whether every rank has elements, and none has those of another. */
static int all_have_own(const Layout *layout)
{
    for (int along = 0; along < layout->grid->dimensions; along++)
        if (layout->grid->shape[along] > 1 && (!layout_is_determined(layout, along) || layout->fixed[along] >= 0))
            return 0;
    for (int d = 0; d < layout->dimensions; d++) {
        const Axis *axis = &layout->axes[d];
        if (layout->cuts[d].count != axis->extent)
            return 0;
        for (int p = 0; p < axis->parts; p++)
            if (axis_count(axis, p) == 0)
                return 0;
    }
    return 1;
}

/* Folds what the ranks have, where some have nothing: MPI's operations have no neutral element that we know. */
static int fold_some(Rankine_Array array, MPI_Op op, void *result, int is_empty)
{
    Rankine_Grid grid = array->layout.grid;
    int *empty = malloc(grid->size * sizeof *empty), code = MPI_ERR_NO_MEM, found = 0;
    char *all = malloc(grid->size * array->size);
    if (empty != NULL && all != NULL) {
        code = MPI_Allgather(&is_empty, 1, MPI_INT, empty, 1, MPI_INT, grid->comm);
        if (code == MPI_SUCCESS)
            code = MPI_Allgather(result, 1, array->element, all, 1, array->element, grid->comm);
        for (int rank = 0; rank < grid->size && code == MPI_SUCCESS; rank++) {
            if (empty[rank])
                continue;
            if (!found++)
                memcpy(result, all + rank * array->size, array->size);
            else
                code = MPI_Reduce_local(all + rank * array->size, result, 1, array->element, op);
        }
        if (code == MPI_SUCCESS && !found)
            code = arrays_misuse(grid, array->name, -1, "it has no elements that could be reduced");
    }
    free(empty);
    free(all);
    return code;
}

int Rankine_Reduce(Rankine_Array array, MPI_Op op, void *result)
{
    int is_empty;
    memset(result, 0, array->size);
    TRY(fold(array, op, result, &is_empty));
    if (!all_have_own(&array->layout))
        return fold_some(array, op, result, is_empty);
    return MPI_Allreduce(MPI_IN_PLACE, result, 1, array->element, op, array->layout.grid->comm);
}

typedef struct {
    const void *element;
    long long first; /* place in C's order */
} Search;

static int search_row(Rankine_Array array, const char *row, int count, const Held held[], const int at[], void *state)
{
    Search *search = state;
    const Layout *layout = &array->layout;
    int last = layout->dimensions - 1;
    long long before = 0;
    for (int d = 0; d < last; d++)
        before = before * layout->cuts[d].count + held[d].indices[at[d]];
    for (int n = 0; n < count; n++)
        if (memcmp(row + n * array->size, search->element, array->size) == 0) {
            long long place = before * layout->cuts[last].count + held[last].indices[n];
            if (place < search->first)
                search->first = place;
            break; /* indices ascend along a row */
        }
    return MPI_SUCCESS;
}

int Rankine_Extreme(Rankine_Array array, MPI_Op op, void *result, int index[])
{
    Search search = {result, LLONG_MAX};
    const Layout *layout = &array->layout;
    if (op != MPI_MAX && op != MPI_MIN)
        return arrays_misuse(layout->grid, array->name, -1, "an extreme is one by MPI_MAX or MPI_MIN");
    TRY(Rankine_Reduce(array, op, result));
    TRY(array_each_row(array, search_row, &search));
    TRY(MPI_Allreduce(MPI_IN_PLACE, &search.first, 1, MPI_LONG_LONG, MPI_MIN, layout->grid->comm));
    if (search.first == LLONG_MAX)
        return arrays_misuse(layout->grid, array->name, -1, "it has no greatest or least element: some are not numbers");
    for (int d = layout->dimensions - 1; d >= 0; d--) {
        index[d] = (int)(search.first % layout->cuts[d].count);
        search.first /= layout->cuts[d].count;
    }
    return MPI_SUCCESS;
}
