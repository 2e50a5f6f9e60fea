/* Reductions to one element. */
#include "arrays_internal.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Calls `visit` with every row that this rank owns, and the place of its first element in C's order of the whole array. */
static int each_row(Rankine_Array array, int (*visit)(Rankine_Array array, char *row, int count, const int at[], void *state), void *state)
{
    const Layout *layout = &array->layout;
    int last = layout->dimensions - 1, at[MANY] = {0}, counts[MANY];
    for (int d = 0; d <= last; d++) {
        counts[d] = axis_count(&layout->axes[d], layout->axes[d].part);
        if (counts[d] == 0)
            return MPI_SUCCESS;
    }
    for (;;) {
        MPI_Aint place = layout->offset;
        for (int d = 0; d < last; d++)
            place += at[d] * layout->strides[d];
        TRY(visit(array, (char *)array->data + place * array->size, counts[last], at, state));
        int d = last - 1;
        while (d >= 0 && ++at[d] == counts[d])
            at[d--] = 0;
        if (d < 0)
            return MPI_SUCCESS;
    }
}

typedef struct {
    MPI_Op op;
    char *sums; /* a row of them */
    int is_first;
} Folding;

static int fold_row(Rankine_Array array, char *row, int count, const int at[], void *state)
{
    Folding *folding = state;
    (void)at;
    if (folding->is_first) {
        folding->is_first = 0;
        memcpy(folding->sums, row, count * array->size);
        return MPI_SUCCESS;
    }
    return MPI_Reduce_local(row, folding->sums, count, array->element, folding->op);
}

/* This rank's share; `is_empty` where it has none. */
static int fold(Rankine_Array array, MPI_Op op, void *result, int *is_empty)
{
    const Layout *layout = &array->layout;
    const Axis *last = &layout->axes[layout->dimensions - 1];
    int count = axis_count(last, last->part), code = MPI_SUCCESS;
    Folding folding = {op, malloc(count > 0 ? count * array->size : 1), 1};
    if (folding.sums == NULL)
        return MPI_ERR_NO_MEM;
    if (layout_is_first_holder(layout))
        code = each_row(array, fold_row, &folding);
    for (int half; count > 1 && code == MPI_SUCCESS && !folding.is_first; count -= half) {
        half = count / 2;
        code = MPI_Reduce_local(folding.sums + (count - half) * array->size, folding.sums, half, array->element, op);
    }
    *is_empty = folding.is_first;
    if (!folding.is_first)
        memcpy(result, folding.sums, array->size);
    free(folding.sums);
    return code;
}

/* Whether every rank has elements, and none has those of another. */
static int all_have_own(const Layout *layout)
{
    for (int along = 0; along < layout->grid->dimensions; along++)
        if (layout->grid->shape[along] > 1 && !layout_is_determined(layout, along))
            return 0;
    for (int d = 0; d < layout->dimensions; d++)
        for (int p = 0; p < layout->axes[d].parts; p++)
            if (axis_count(&layout->axes[d], p) == 0)
                return 0;
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

static int search_row(Rankine_Array array, char *row, int count, const int at[], void *state)
{
    Search *search = state;
    const Layout *layout = &array->layout;
    int last = layout->dimensions - 1;
    long long before = 0;
    for (int d = 0; d < last; d++)
        before = before * layout->axes[d].extent + axis_global(&layout->axes[d], at[d] + layout->axes[d].below);
    for (int n = 0; n < count; n++)
        if (memcmp(row + n * array->size, search->element, array->size) == 0) {
            const Axis *axis = &layout->axes[last];
            long long place = before * axis->extent + axis_global(axis, n + axis->below);
            if (place < search->first)
                search->first = place;
            break; /* global indices ascend along a row */
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
    TRY(each_row(array, search_row, &search));
    TRY(MPI_Allreduce(MPI_IN_PLACE, &search.first, 1, MPI_LONG_LONG, MPI_MIN, layout->grid->comm));
    if (search.first == LLONG_MAX)
        return arrays_misuse(layout->grid, array->name, -1, "it has no greatest or least element: some are not numbers");
    for (int d = layout->dimensions - 1; d >= 0; d--) {
        index[d] = (int)(search.first % layout->axes[d].extent);
        search.first /= layout->axes[d].extent;
    }
    return MPI_SUCCESS;
}

typedef struct {
    Rankine_Array other;
    double sum;
} Product;

static int multiply_row(Rankine_Array array, char *row, int count, const int at[], void *state)
{
    Product *product = state;
    const Layout *layout = &product->other->layout;
    const double *a = (const double *)row, *b = (const double *)product->other->data + layout->offset;
    double lanes[4] = {0};
    (void)array;
    for (int d = 0; d < layout->dimensions - 1; d++)
        b += at[d] * layout->strides[d];
    int n = 0;
    for (; n + 4 <= count; n += 4)
        for (int lane = 0; lane < 4; lane++)
            lanes[lane] += a[n + lane] * b[n + lane];
    for (; n < count; n++)
        lanes[0] += a[n] * b[n];
    product->sum += (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
    return MPI_SUCCESS;
}

static int is_of_doubles(Rankine_Array array)
{
    return array->element == MPI_DOUBLE || array->element == MPI_DOUBLE_PRECISION || array->element == MPI_REAL8;
}

int Rankine_Dot(Rankine_Array a, Rankine_Array b, double *result)
{
    const Layout *layout = &a->layout;
    int is_alike = layout->grid == b->layout.grid && layout->dimensions == b->layout.dimensions;
    for (int d = 0; d < layout->dimensions && is_alike; d++) {
        const Axis *own = &layout->axes[d], *other = &b->layout.axes[d];
        is_alike = own->extent == other->extent && own->along == other->along && own->block == other->block;
        for (int p = 0; p < own->parts && is_alike; p++)
            is_alike = axis_count(own, p) == axis_count(other, p);
    }
    if (!is_alike)
        return arrays_misuse(layout->grid, a->name, -1, "it is distributed in another way than array \"%s\"", b->name);
    if (!is_of_doubles(a) || !is_of_doubles(b))
        return arrays_misuse(layout->grid, a->name, -1, "only products of doubles are summed up");
    Product product = {b, 0};
    if (layout_is_first_holder(layout))
        TRY(each_row(a, multiply_row, &product));
    return MPI_Allreduce(&product.sum, result, 1, MPI_DOUBLE, MPI_SUM, layout->grid->comm);
}
