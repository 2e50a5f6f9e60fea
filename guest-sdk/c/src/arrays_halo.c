/* Ghost cells: copies of what the neighbours hold. Persistent requests, made when a halo is first wanted. */
#include "arrays_internal.h"

#include <stdlib.h>

/* The rank in a direction, or -1. */
static int neighbour(const Layout *layout, const int direction[])
{
    int coords[RANKINE_GRID_DIMENSIONS];
    Rankine_Grid_get(layout->grid, NULL, coords);
    for (int d = 0; d < layout->dimensions; d++) {
        const Axis *axis = &layout->axes[d];
        int next = axis->part + direction[d];
        if ((next < 0 || next >= axis->parts) && !axis->periodic)
            return -1;
        if (axis->along >= 0)
            coords[axis->along] = (next + axis->parts) % axis->parts;
    }
    return grid_rank(layout->grid, coords);
}

/* Which cells of a dimension come from a direction, or go there, counted from the first that is owned. */
static void cells(const Axis *axis, int step, int receives, int *first, int *count)
{
    int owned = axis_count(axis, axis->part);
    *first = 0;
    *count = owned;
    if (step < 0) {
        *count = receives ? axis->below : axis->above;
        *first = receives ? -axis->below : 0;
    } else if (step > 0) {
        *count = receives ? axis->above : axis->below;
        *first = receives ? owned : owned - axis->below;
    }
}

static int add_request(Rankine_Array array, Exchange *halo, const int direction[], int receives, int rank)
{
    const Layout *layout = &array->layout;
    List lists[MANY] = {0};
    int tag = 0, code = MPI_SUCCESS, is_empty = 0;
    for (int d = 0; d < layout->dimensions && code == MPI_SUCCESS; d++) {
        int first;
        cells(&layout->axes[d], direction[d], receives, &first, &lists[d].count);
        /* A message is named after the way that it goes. */
        tag = tag * 3 + 1 + (receives ? -direction[d] : direction[d]);
        is_empty |= lists[d].count <= 0;
        lists[d].places = malloc((lists[d].count > 0 ? lists[d].count : 1) * sizeof(MPI_Aint));
        if (lists[d].places == NULL)
            code = MPI_ERR_NO_MEM;
        else
            for (int n = 0; n < lists[d].count; n++)
                lists[d].places[n] = (first + n) * layout->strides[d];
    }
    if (code == MPI_SUCCESS && !is_empty) {
        MPI_Datatype datatype;
        MPI_Aint first;
        code = datatype_product(lists, layout->dimensions, array->element, array->size, &datatype, &first);
        if (code == MPI_SUCCESS) {
            char *at = (char *)array->data + (layout->offset + first) * array->size;
            MPI_Request *request = &halo->requests[halo->count];
            code = receives ? MPI_Recv_init(at, 1, datatype, rank, tag, layout->grid->comm, request)
                            : MPI_Send_init(at, 1, datatype, rank, tag, layout->grid->comm, request);
            halo->count += code == MPI_SUCCESS;
            MPI_Type_free(&datatype);
        }
    }
    for (int d = 0; d < layout->dimensions; d++)
        free(lists[d].places);
    return code;
}

static int make(Rankine_Array array, Exchange *halo, int with_corners)
{
    int all = 1;
    for (int d = 0; d < array->layout.dimensions; d++)
        all *= 3;
    halo->requests = malloc(2 * all * sizeof *halo->requests);
    if (halo->requests == NULL)
        return arrays_misuse(array->layout.grid, array->name, -1, "there is no memory for its halo");
    for (int receives = 1; receives >= 0; receives--)
        for (int code = 0; code < all; code++) {
            int direction[MANY], steps = 0, rest = code;
            for (int d = 0; d < array->layout.dimensions; d++, rest /= 3) {
                direction[d] = rest % 3 - 1;
                steps += direction[d] != 0;
            }
            if (steps == 0 || (steps > 1 && !with_corners))
                continue;
            int rank = neighbour(&array->layout, direction);
            if (rank >= 0)
                TRY(add_request(array, halo, direction, receives, rank));
        }
    halo->is_made = 1;
    return MPI_SUCCESS;
}

int Rankine_Start_halo(Rankine_Array array, int which)
{
    Exchange *halo = &array->halos[which != RANKINE_FACES];
    if (array->started != NULL)
        return arrays_misuse(array->layout.grid, array->name, -1, "a halo is started while one is under way");
    if (!halo->is_made)
        TRY(make(array, halo, which != RANKINE_FACES));
    array->started = halo;
    return MPI_Startall(halo->count, halo->requests);
}

int Rankine_Finish_halo(Rankine_Array array)
{
    Exchange *halo = array->started;
    if (halo == NULL)
        return arrays_misuse(array->layout.grid, array->name, -1, "no halo is under way that could be finished");
    array->started = NULL;
    return MPI_Waitall(halo->count, halo->requests, MPI_STATUSES_IGNORE);
}

int Rankine_Write_halo(Rankine_Array array)
{
    TRY(Rankine_Start_halo(array, RANKINE_FACES));
    return Rankine_Finish_halo(array);
}
