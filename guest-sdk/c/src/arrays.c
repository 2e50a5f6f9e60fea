/* Arrays: their memory, and what is asked of them. */
#include "arrays_internal.h"

#include <stdlib.h>
#include <string.h>

static int element_size(Rankine_Grid grid, const char *name, MPI_Datatype element, MPI_Aint *size)
{
    int bytes;
    MPI_Aint lower, extent;
    TRY(MPI_Type_size(element, &bytes));
    TRY(MPI_Type_get_extent(element, &lower, &extent));
    if (bytes <= 0 || lower != 0 || extent != bytes)
        return arrays_misuse(grid, name, -1, "its elements are of a datatype with gaps, or of no bytes");
    *size = extent;
    return MPI_SUCCESS;
}

int Rankine_Array_create(const char *name, Rankine_Grid grid, int dimensions, const Rankine_Range ranges[], MPI_Datatype element, Rankine_Array *array)
{
    struct Rankine_Array_ made = {.element = element};
    TRY(element_size(grid, name, element, &made.size));
    TRY(layout_lay(&made.layout, grid, name, dimensions, ranges));
    made.count = axis_room(&made.layout.axes[0]) * made.layout.strides[0];
    made.name = strdup(name);
    made.data = calloc(made.count > 0 ? made.count : 1, made.size);
    *array = malloc(sizeof made);
    if (made.name == NULL || made.data == NULL || *array == NULL) {
        free(made.name);
        free(made.data);
        free(*array);
        layout_free(&made.layout);
        return arrays_misuse(grid, name, -1, "there is no memory for its %zu elements here", made.count);
    }
    **array = made;
    return MPI_SUCCESS;
}

int Rankine_Array_free(Rankine_Array *array)
{
    Rankine_Array old = *array;
    if (old->started != NULL)
        TRY(Rankine_Finish_halo(old));
    for (int which = 0; which < 2; which++) {
        for (int n = 0; n < old->halos[which].count; n++)
            TRY(MPI_Request_free(&old->halos[which].requests[n]));
        free(old->halos[which].requests);
    }
    layout_free(&old->layout);
    free(old->name);
    free(old->data);
    free(old);
    *array = NULL;
    return MPI_SUCCESS;
}

void *Rankine_Array_local(Rankine_Array array)
{
    return array->data;
}

static int check_dimension(Rankine_Array array, int dimension)
{
    if (dimension >= 0 && dimension < array->layout.dimensions)
        return MPI_SUCCESS;
    return arrays_misuse(array->layout.grid, array->name, -1, "it has no dimension %d", dimension);
}

int Rankine_Array_dimension(Rankine_Array array, int dimension, Rankine_Dimension *of)
{
    TRY(check_dimension(array, dimension));
    const Axis *axis = &array->layout.axes[dimension];
    *of = (Rankine_Dimension){
        .extent = axis->extent,
        .first = axis_global(axis, axis->below),
        .count = axis_count(axis, axis->part),
        .below = axis->below,
        .above = axis->above,
        .room = axis_room(axis),
        .stride = (int)array->layout.strides[dimension],
    };
    return MPI_SUCCESS;
}

int Rankine_Array_global(Rankine_Array array, int dimension, int local)
{
    return axis_global(&array->layout.axes[dimension], local);
}

int Rankine_Array_stored(Rankine_Array array, int dimension, int global)
{
    return axis_stored(&array->layout.axes[dimension], global);
}

int Rankine_Array_owner(Rankine_Array array, const int index[], int *rank)
{
    int coords[RANKINE_GRID_DIMENSIONS] = {0}, at;
    for (int d = 0; d < array->layout.dimensions; d++) {
        const Axis *axis = &array->layout.axes[d];
        if (index[d] < 0 || index[d] >= axis->extent)
            return arrays_misuse(
                array->layout.grid, array->name, grid_shown(array->layout.grid, array->layout.dimensions, d),
                "nobody owns the index %d: it has %d indices", index[d] + array->layout.grid->is_fortran, axis->extent
            );
        if (axis->along >= 0)
            coords[axis->along] = axis_place(axis, index[d], &at);
    }
    *rank = grid_rank(array->layout.grid, coords);
    return MPI_SUCCESS;
}

int Rankine_Array_fill(Rankine_Array array, const void *element)
{
    for (size_t n = 0; n < array->count; n++)
        memcpy((char *)array->data + n * array->size, element, array->size);
    return MPI_SUCCESS;
}
