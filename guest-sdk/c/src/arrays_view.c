/* Parts of arrays, and arrays with their dimensions in another order: arrays that have their elements in another one. */
#include "arrays_internal.h"

#include <stdlib.h>
#include <string.h>

/* Makes a view of this layout, which it takes. */
static int make(Rankine_Array array, Layout *layout, Rankine_Array *view)
{
    struct Rankine_Array_ made = {.layout = *layout, .element = array->element, .size = array->size, .data = array->data, .is_view = 1};
    made.name = strdup(array->name);
    *view = malloc(sizeof made);
    if (made.name == NULL || *view == NULL) {
        free(made.name);
        free(*view);
        layout_free(layout);
        return arrays_misuse(array->layout.grid, array->name, -1, "there is no memory for a view of it");
    }
    **view = made;
    return MPI_SUCCESS;
}

static int shown(Rankine_Array array, int dimension)
{
    return grid_shown(array->layout.grid, array->layout.dimensions, dimension);
}

int Rankine_Array_section(Rankine_Array array, int dimension, int first, int count, int step, Rankine_Array *view)
{
    Layout layout;
    TRY(array_check_dimension(array, dimension));
    Rankine_Grid grid = array->layout.grid;
    int base = grid->is_fortran, known = array->layout.cuts[dimension].count;
    long long last = first + (count > 0 ? count - 1LL : 0LL) * step;
    if (count < 0 || (count > 0 && (first < 0 || first >= known || last < 0 || last >= known)))
        return arrays_misuse(
            grid, array->name, shown(array, dimension), "a section of %d indices from %d to %lld was asked for, and it has the indices %d to %d",
            count, first + base, last + base, base, known - 1 + base
        );
    TRY(layout_copy(&layout, &array->layout));
    Cut *cut = &layout.cuts[dimension];
    if (count > 0)
        cut->first += first * cut->step;
    /* The product is within the axis if there are several indices. */
    cut->step = count > 1 ? cut->step * step : 1;
    cut->count = count;
    return make(array, &layout, view);
}

int Rankine_Array_at(Rankine_Array array, int dimension, int index, Rankine_Array *view)
{
    Layout layout;
    MPI_Aint place;
    TRY(array_check_dimension(array, dimension));
    Rankine_Grid grid = array->layout.grid;
    int base = grid->is_fortran, known = array->layout.cuts[dimension].count;
    if (array->layout.dimensions == 1)
        return arrays_misuse(grid, array->name, -1, "it has one dimension, and a view has one at least");
    if (index < 0 || index >= known)
        return arrays_misuse(grid, array->name, shown(array, dimension), "nobody owns the index %d: it has %d indices", index + base, known);
    TRY(layout_copy(&layout, &array->layout));
    int part = layout_part(&layout, dimension, index, &place), along = layout.axes[dimension].along;
    layout.offset += place;
    if (along >= 0)
        layout.fixed[along] = part;
    free(layout.axes[dimension].starts);
    layout.dimensions--;
    for (int d = dimension; d < layout.dimensions; d++) {
        layout.axes[d] = layout.axes[d + 1];
        layout.cuts[d] = layout.cuts[d + 1];
        layout.strides[d] = layout.strides[d + 1];
    }
    return make(array, &layout, view);
}

int Rankine_Array_transposed(Rankine_Array array, const int order[], Rankine_Array *view)
{
    Layout layout;
    int seen[MANY] = {0};
    for (int d = 0; d < array->layout.dimensions; d++) {
        TRY(array_check_dimension(array, order[d]));
        if (seen[order[d]]++)
            return arrays_misuse(array->layout.grid, array->name, shown(array, order[d]), "an order of dimensions names it twice");
    }
    TRY(layout_permute(&layout, &array->layout, order));
    return make(array, &layout, view);
}

int Rankine_Array_spread(Rankine_Array array, int dimension, int count, Rankine_Array *view)
{
    Layout layout;
    Axis single;
    Rankine_Range range = Rankine_collapsed(1);
    Rankine_Grid grid = array->layout.grid;
    if (array->layout.dimensions == MANY)
        return arrays_misuse(grid, array->name, -1, "it has 4 dimensions already, which can't become more");
    if (dimension < 0 || dimension > array->layout.dimensions || count < 0)
        return arrays_misuse(grid, array->name, -1, "it can't be spread along a new dimension %d of %d indices", grid_shown(grid, array->layout.dimensions + 1, dimension), count);
    TRY(axis_lay(&single, &range, grid, array->name, dimension, -1));
    int code = layout_copy(&layout, &array->layout);
    if (code != MPI_SUCCESS) {
        free(single.starts);
        return code;
    }
    for (int d = layout.dimensions++; d > dimension; d--) {
        layout.axes[d] = layout.axes[d - 1];
        layout.cuts[d] = layout.cuts[d - 1];
        layout.strides[d] = layout.strides[d - 1];
    }
    layout.axes[dimension] = single;
    layout.cuts[dimension] = (Cut){0, 0, count};
    layout.strides[dimension] = 0;
    return make(array, &layout, view);
}
