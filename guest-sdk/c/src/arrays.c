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

/* Its elements are at `data`, or in memory of its own where that is null. */
static int array_over(const char *name, Layout *layout, MPI_Datatype element, MPI_Aint size, void *data, Rankine_Array *array)
{
    struct Rankine_Array_ made = {.element = element, .size = size, .layout = *layout, .is_lent = data != NULL};
    made.count = axis_room(&layout->axes[0]) * layout->strides[0];
    made.name = strdup(name);
    made.data = data != NULL ? data : calloc(made.count > 0 ? made.count : 1, made.size);
    *array = malloc(sizeof made);
    if (made.name == NULL || made.data == NULL || *array == NULL) {
        Rankine_Grid grid = layout->grid;
        free(made.name);
        if (!made.is_lent)
            free(made.data);
        free(*array);
        layout_free(layout);
        return arrays_misuse(grid, name, -1, "there is no memory for its %zu elements here", made.count);
    }
    **array = made;
    return MPI_SUCCESS;
}

int array_of_layout(const char *name, Layout *layout, MPI_Datatype element, MPI_Aint size, Rankine_Array *array)
{
    return array_over(name, layout, element, size, NULL, array);
}

int Rankine_Array_create(const char *name, Rankine_Grid grid, int dimensions, const Rankine_Range ranges[], MPI_Datatype element, Rankine_Array *array)
{
    Layout layout;
    MPI_Aint size;
    TRY(element_size(grid, name, element, &size));
    TRY(layout_lay(&layout, grid, name, dimensions, ranges));
    return array_of_layout(name, &layout, element, size, array);
}

int Rankine_Array_create_over(
    void *elements, size_t count, const char *name, Rankine_Grid grid, int dimensions, const Rankine_Range ranges[], MPI_Datatype element,
    Rankine_Array *array
)
{
    Layout layout;
    MPI_Aint size;
    TRY(element_size(grid, name, element, &size));
    TRY(layout_lay(&layout, grid, name, dimensions, ranges));
    size_t stored = axis_room(&layout.axes[0]) * layout.strides[0];
    if (count != stored || elements == NULL) {
        layout_free(&layout);
        return arrays_misuse(grid, name, -1, "this rank stores %zu of its elements, and is given %zu", stored, elements != NULL ? count : 0);
    }
    return array_over(name, &layout, element, size, elements, array);
}

int array_in_blocks(Rankine_Array array, Rankine_Array like, Rankine_Array *blocks)
{
    const Layout *layout = &like->layout;
    Rankine_Range ranges[MANY];
    for (int d = 0; d < layout->dimensions; d++) {
        int count = layout->cuts[d].count, along = layout->axes[d].along;
        ranges[d] = along < 0 ? Rankine_collapsed(count) : Rankine_along(Rankine_block(count), along);
    }
    TRY(Rankine_Array_create(array->name, layout->grid, layout->dimensions, ranges, array->element, blocks));
    int code = Rankine_Copy(*blocks, array);
    if (code != MPI_SUCCESS)
        Rankine_Array_free(blocks);
    return code;
}

int Rankine_Array_free(Rankine_Array *array)
{
    Rankine_Array old = *array;
    if (old->started != NULL)
        TRY(Rankine_Finish_halo(old));
    for (int which = 0; which < 2; which++)
        TRY(exchange_free(&old->halos[which]));
    while (old->others != NULL) {
        Exchange *first = old->others;
        TRY(exchange_free(first));
        old->others = first->next;
        free(first);
    }
    layout_free(&old->layout);
    free(old->name);
    if (!old->is_view && !old->is_lent)
        free(old->data);
    free(old);
    *array = NULL;
    return MPI_SUCCESS;
}

void *Rankine_Array_local(Rankine_Array array)
{
    return array->is_view ? NULL : array->data;
}

int array_check_dimension(Rankine_Array array, int dimension)
{
    if (dimension >= 0 && dimension < array->layout.dimensions)
        return MPI_SUCCESS;
    return arrays_misuse(array->layout.grid, array->name, -1, "it has no dimension %d", dimension);
}

int Rankine_Array_dimension(Rankine_Array array, int dimension, Rankine_Dimension *of)
{
    TRY(array_check_dimension(array, dimension));
    if (array->is_view)
        return arrays_misuse(array->layout.grid, array->name, -1, "a view of it has no local part: ask the array");
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
    const Layout *layout = &array->layout;
    int coords[RANKINE_GRID_DIMENSIONS] = {0};
    MPI_Aint place;
    for (int along = 0; along < layout->grid->dimensions; along++)
        coords[along] = layout->fixed[along] > 0 ? layout->fixed[along] : 0;
    for (int d = 0; d < layout->dimensions; d++) {
        int count = layout->cuts[d].count;
        if (index[d] < 0 || index[d] >= count)
            return arrays_misuse(
                layout->grid, array->name, grid_shown(layout->grid, layout->dimensions, d),
                "nobody owns the index %d: it has %d indices", index[d] + layout->grid->is_fortran, count
            );
        if (layout->axes[d].along >= 0)
            coords[layout->axes[d].along] = layout_part(layout, d, index[d], &place);
    }
    *rank = grid_rank(layout->grid, coords);
    return MPI_SUCCESS;
}

static int fill_view(Rankine_Array array, const void *element)
{
    const Layout *layout = &array->layout;
    Held held[MANY];
    long long all = 1;
    TRY(layout_held(layout, held));
    for (int d = 0; d < layout->dimensions; d++)
        all *= held[d].count;
    for (long long n = 0; n < all; n++) {
        long long rest = n;
        MPI_Aint place = layout->offset;
        for (int d = layout->dimensions - 1; d >= 0; d--) {
            place += held[d].places[rest % held[d].count];
            rest /= held[d].count;
        }
        memcpy((char *)array->data + place * array->size, element, array->size);
    }
    held_free(held);
    return MPI_SUCCESS;
}

int Rankine_Array_fill(Rankine_Array array, const void *element)
{
    if (array->is_view)
        return fill_view(array, element);
    for (size_t n = 0; n < array->count; n++)
        memcpy((char *)array->data + n * array->size, element, array->size);
    return MPI_SUCCESS;
}
