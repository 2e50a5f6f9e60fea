/* For the module rankine_arrays: what C leaves to its caller, checked. */
#include "arrays_internal.h"

void arrays_in_fortran(Rankine_Grid grid)
{
    grid->is_fortran = 1;
}

/* Memory of a rank for a pointer of Fortran's, which has so many dimensions and whose elements have so many bytes: its lower
 * bounds and its shape. Where elements of the array are several of the pointer's, these are a further, first dimension. */
void *arrays_pointer(Rankine_Array array, int dimensions, int bytes, int low[], int shape[])
{
    const Layout *layout = &array->layout;
    int own = layout->dimensions, further = dimensions - own;
    for (int d = 0; d < dimensions; d++) {
        low[d] = 1;
        shape[d] = 0;
    }
    if (array->is_view || further < 0 || further > 1 || (further == 0 && bytes != array->size) || array->size % bytes != 0) {
        arrays_misuse(
            layout->grid, array->name, -1, "it %s with elements of %d bytes, which a pointer of %d dimensions to elements of %d bytes can't stand for",
            array->is_view ? "is a view" : "is an array", (int)array->size, dimensions, bytes
        );
        return NULL;
    }
    if (further == 1)
        shape[0] = (int)(array->size / bytes);
    for (int d = 0; d < own; d++) {
        const Axis *axis = &layout->axes[own - 1 - d];
        int count = axis_count(axis, axis->part), first = axis_global(axis, axis->below);
        shape[d + further] = axis_room(axis);
        /* Where indices follow each other, the last one is count - 1 behind the first. */
        if (count > 0 && axis_global(axis, axis->below + count - 1) - first == count - 1)
            low[d + further] = first - axis->below + 1;
    }
    return array->data;
}

static int check_count(Rankine_Array array, int count, const char *what)
{
    if (count == array->layout.dimensions)
        return MPI_SUCCESS;
    return arrays_misuse(array->layout.grid, array->name, -1, "it has %d dimensions, and %d %s were given", array->layout.dimensions, count, what);
}

int arrays_transposed(Rankine_Array array, int count, const int order[], Rankine_Array *view)
{
    TRY(check_count(array, count, "dimensions of an order"));
    return Rankine_Array_transposed(array, order, view);
}

int arrays_transpose(Rankine_Array target, Rankine_Array source, int count, const int order[])
{
    TRY(check_count(source, count, "dimensions of an order"));
    return Rankine_Transpose(target, source, order);
}

int arrays_lookup(Rankine_Array values, const Rankine_Array indices[], int count, Rankine_Array table, Rankine_Lookup *lookup)
{
    TRY(check_count(table, count, "arrays of indices"));
    return Rankine_Lookup_create(values, indices, table, lookup);
}

int arrays_arrows(const Rankine_Array parts[], int count, Rankine_Array values, const char *name, long long step)
{
    /* Without any there is no array that could be named. */
    if (count == 0)
        return MPI_ERR_ARG;
    TRY(check_count(parts[0], count, "parts of vectors"));
    return Rankine_Array_arrows(parts, values, name, step);
}
