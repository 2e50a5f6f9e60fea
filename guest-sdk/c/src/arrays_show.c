/* Arrays in the live view, which takes a box of each rank. */
#include "arrays_internal.h"

#include <rankine/view.h>

static int is_shown(MPI_Datatype element)
{
    const MPI_Datatype shown[] = {MPI_DOUBLE, MPI_FLOAT, MPI_INT, MPI_LONG_LONG, MPI_INT32_T, MPI_INT64_T, MPI_REAL, MPI_DOUBLE_PRECISION, MPI_INTEGER, MPI_REAL4, MPI_REAL8, MPI_INTEGER4, MPI_INTEGER8};
    for (size_t n = 0; n < sizeof shown / sizeof *shown; n++)
        if (shown[n] == element)
            return 1;
    return 0;
}

static int check(Rankine_Array array)
{
    const Layout *layout = &array->layout;
    if (layout->dimensions > 3)
        return arrays_misuse(layout->grid, array->name, -1, "it has %d dimensions; arrays of 1 to 3 can be shown", layout->dimensions);
    if (!is_shown(array->element))
        return arrays_misuse(layout->grid, array->name, -1, "its elements can't be shown; reals and integers of 4 or 8 bytes can");
    for (int d = 0; d < layout->dimensions; d++)
        if (layout->axes[d].extent == 0)
            return arrays_misuse(layout->grid, array->name, grid_shown(layout->grid, layout->dimensions, d), "it has no elements that could be shown");
    return MPI_SUCCESS;
}

/* Whether the indices of every part follow each other. */
static int is_of_boxes(const Layout *layout)
{
    for (int d = 0; d < layout->dimensions; d++) {
        const Axis *axis = &layout->axes[d];
        if (axis->block != 0 && axis->parts > 1 && axis->block * axis->parts < axis->extent)
            return 0;
    }
    return 1;
}

/* Publishes this rank's box, if it has one that no other rank publishes. */
static int publish(Rankine_Array array, const char *name, long long step)
{
    const Layout *layout = &array->layout;
    /* One dimension is a row. */
    int shape[MANY] = {1}, start[MANY] = {0}, count[MANY] = {1}, strides[MANY] = {0}, dimensions = layout->dimensions == 1;
    if (!layout_is_first_holder(layout))
        return MPI_SUCCESS;
    for (int d = 0; d < layout->dimensions; d++, dimensions++) {
        const Axis *axis = &layout->axes[d];
        shape[dimensions] = axis->extent;
        start[dimensions] = axis_global(axis, axis->below);
        count[dimensions] = axis_count(axis, axis->part);
        strides[dimensions] = (int)layout->strides[d];
        if (count[dimensions] == 0)
            return MPI_SUCCESS;
    }
    return Rankine_View_field(name, step, dimensions, shape, start, count, strides, array->element, (const char *)array->data + layout->offset * array->size);
}

/* What is dealt out in turn is brought into blocks first. */
static int publish_in_blocks(Rankine_Array array, const char *name, long long step)
{
    const Layout *layout = &array->layout;
    Rankine_Range ranges[MANY];
    Rankine_Array blocks;
    for (int d = 0; d < layout->dimensions; d++) {
        const Axis *axis = &layout->axes[d];
        ranges[d] = axis->along < 0 ? Rankine_collapsed(axis->extent) : Rankine_along(Rankine_block(axis->extent), axis->along);
    }
    TRY(Rankine_Array_create(array->name, layout->grid, layout->dimensions, ranges, array->element, &blocks));
    int code = Rankine_Copy(blocks, array);
    if (code == MPI_SUCCESS)
        code = publish(blocks, name, step);
    int freed = Rankine_Array_free(&blocks);
    return code != MPI_SUCCESS ? code : freed;
}

int Rankine_Array_show(Rankine_Array array, const char *name, long long step)
{
    TRY(check(array));
    if (!Rankine_View_on())
        return MPI_SUCCESS;
    return is_of_boxes(&array->layout) ? publish(array, name, step) : publish_in_blocks(array, name, step);
}
