/* Reductions to arrays of lower rank. */
#include "arrays_internal.h"

#include <stdlib.h>
#include <string.h>

/* An array with the dimensions of another one but this, without ghost cells. */
static int without(Rankine_Array array, int dimension, Rankine_Array *result)
{
    Layout layout;
    TRY(layout_copy(&layout, &array->layout));
    free(layout.axes[dimension].starts);
    layout.dimensions--;
    for (int d = 0; d < layout.dimensions; d++) {
        if (d >= dimension)
            layout.axes[d] = layout.axes[d + 1];
        layout.axes[d].below = layout.axes[d].above = layout.axes[d].periodic = 0;
    }
    int code = layout_pack(&layout, array->name);
    if (code != MPI_SUCCESS) {
        layout_free(&layout);
        return code;
    }
    return array_of_layout(array->name, &layout, array->element, array->size, result);
}

typedef struct {
    Rankine_Array result;
    int dimension;
    MPI_Op op;
    char *row; /* to be folded in */
} Folding;

static int fold_row(Rankine_Array array, const char *row, int count, const Held held[], const int at[], void *state)
{
    Folding *folding = state;
    const Layout *layout = &folding->result->layout;
    int last = array->layout.dimensions - 1;
    MPI_Aint place = layout->offset;
    (void)held;
    for (int d = 0; d < last; d++)
        if (d != folding->dimension)
            place += at[d] * layout->strides[d - (d > folding->dimension)];
    char *to = (char *)folding->result->data + place * array->size;
    if (folding->dimension == last) {
        memcpy(folding->row, row, count * array->size);
        TRY(array_fold(array, folding->row, count, folding->op));
        memcpy(to, folding->row, array->size);
        return MPI_SUCCESS;
    }
    if (at[folding->dimension] > 0)
        return MPI_Reduce_local(row, to, count, array->element, folding->op);
    memcpy(to, row, count * array->size);
    return MPI_SUCCESS;
}

/* Combines what the ranks along a dimension of the grid have. MPI's operations have no neutral element that we know, so those
 * that have nothing get the result from one that has. */
static int combine(Rankine_Array result, const Axis *axis, MPI_Op op)
{
    MPI_Comm line, holders;
    int first = -1, are_all = 1, count = (int)result->count;
    for (int p = axis->parts - 1; p >= 0; p--) {
        if (axis_count(axis, p) > 0)
            first = p;
        else
            are_all = 0;
    }
    if (axis->along < 0)
        return MPI_SUCCESS;
    TRY(grid_line(result->layout.grid, axis->along, &line));
    if (are_all)
        return MPI_Allreduce(MPI_IN_PLACE, result->data, count, result->element, op, line);
    int is_holder = axis_count(axis, axis->part) > 0;
    TRY(MPI_Comm_split(line, is_holder ? 0 : MPI_UNDEFINED, axis->part, &holders));
    if (is_holder) {
        TRY(MPI_Allreduce(MPI_IN_PLACE, result->data, count, result->element, op, holders));
        TRY(MPI_Comm_free(&holders));
    }
    return MPI_Bcast(result->data, count, result->element, first, line);
}

static int reduce_whole(Rankine_Array array, int dimension, MPI_Op op, Rankine_Array *result)
{
    const Axis *axis = &array->layout.axes[dimension], *last = &array->layout.axes[array->layout.dimensions - 1];
    int room = axis_count(last, last->part);
    TRY(without(array, dimension, result));
    Folding folding = {*result, dimension, op, malloc((room > 0 ? room : 1) * array->size)};
    int code = folding.row == NULL ? MPI_ERR_NO_MEM : array_each_row(array, fold_row, &folding);
    free(folding.row);
    if (code == MPI_SUCCESS)
        code = combine(*result, axis, op);
    if (code != MPI_SUCCESS)
        Rankine_Array_free(result);
    return code;
}

int Rankine_Reduce_along(Rankine_Array array, int dimension, MPI_Op op, Rankine_Array *result)
{
    Rankine_Grid grid = array->layout.grid;
    Rankine_Array blocks;
    TRY(array_check_dimension(array, dimension));
    if (array->layout.dimensions == 1)
        return arrays_misuse(grid, array->name, -1, "it has one dimension: Rankine_Reduce gives its reduction");
    if (array->layout.cuts[dimension].count == 0)
        return arrays_misuse(grid, array->name, grid_shown(grid, array->layout.dimensions, dimension), "it has no elements that could be reduced");
    if (!array->is_view)
        return reduce_whole(array, dimension, op, result);
    /* What a view's parts are need not be what an array can have. */
    TRY(array_in_blocks(array, array, &blocks));
    int code = reduce_whole(blocks, dimension, op, result);
    int freed = Rankine_Array_free(&blocks);
    return code != MPI_SUCCESS ? code : freed;
}
