/* Ghost cells: copies of what the neighbours hold. Persistent requests, made when a halo is first wanted. */
#include "arrays_internal.h"

#include <stdlib.h>
#include <string.h>

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
static void cells(const Axis *axis, const int widths[2], int step, int receives, int *first, int *count)
{
    int owned = axis_count(axis, axis->part);
    int below = widths[0] < 0 ? axis->below : widths[0], above = widths[1] < 0 ? axis->above : widths[1];
    *first = 0;
    *count = owned;
    if (step < 0) {
        *count = receives ? below : above;
        *first = receives ? -below : 0;
    } else if (step > 0) {
        *count = receives ? above : below;
        *first = receives ? owned : owned - below;
    }
}

static int add_request(Rankine_Array array, Exchange *halo, const int direction[], int receives, int rank)
{
    const Layout *layout = &array->layout;
    List lists[MANY] = {0};
    int tag = 0, code = MPI_SUCCESS, is_empty = 0;
    for (int d = 0; d < layout->dimensions && code == MPI_SUCCESS; d++) {
        int first;
        cells(&layout->axes[d], halo->halo.widths[d], direction[d], receives, &first, &lists[d].count);
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

static int check(Rankine_Array array, const Rankine_Halo *halo)
{
    const Layout *layout = &array->layout;
    Rankine_Grid grid = layout->grid;
    if (array->is_view)
        return arrays_misuse(grid, array->name, -1, "a view of it has no ghost cells: write the array's halo");
    for (int d = 0; d < MANY; d++) {
        const int *widths = halo->widths[d];
        int is_named = widths[0] >= 0 || widths[1] >= 0;
        if (is_named && d >= layout->dimensions)
            return arrays_misuse(grid, array->name, -1, "it has no dimension %d, whose halo was asked for", d);
        const Axis *axis = &layout->axes[d];
        if (is_named && (widths[0] > axis->below || widths[1] > axis->above))
            return arrays_misuse(
                grid, array->name, grid_shown(grid, layout->dimensions, d), "a halo of %d and %d cells was asked for, and it has %d and %d ghosts",
                widths[0], widths[1], axis->below, axis->above
            );
    }
    if (halo->wrong >= 0)
        return arrays_misuse(grid, array->name, -1, "it has no dimension %d, whose halo was asked for", halo->wrong);
    return MPI_SUCCESS;
}

int exchange_free(Exchange *exchange)
{
    for (; exchange->count > 0; exchange->count--)
        TRY(MPI_Request_free(&exchange->requests[exchange->count - 1]));
    free(exchange->requests);
    exchange->requests = NULL;
    return MPI_SUCCESS;
}

static int add_requests(Rankine_Array array, Exchange *exchange)
{
    int all = 1;
    for (int d = 0; d < array->layout.dimensions; d++)
        all *= 3;
    exchange->requests = malloc(2 * all * sizeof *exchange->requests);
    if (exchange->requests == NULL)
        return arrays_misuse(array->layout.grid, array->name, -1, "there is no memory for its halo");
    for (int receives = 1; receives >= 0; receives--)
        for (int code = 0; code < all; code++) {
            int direction[MANY], steps = 0, rest = code;
            for (int d = 0; d < array->layout.dimensions; d++, rest /= 3) {
                direction[d] = rest % 3 - 1;
                steps += direction[d] != 0;
            }
            if (steps == 0 || (steps > 1 && !exchange->halo.corners))
                continue;
            int rank = neighbour(&array->layout, direction);
            if (rank >= 0)
                TRY(add_request(array, exchange, direction, receives, rank));
        }
    return MPI_SUCCESS;
}

/* All of an exchange, or nothing of it: half of one would wait for messages that nobody sends. */
static int make(Rankine_Array array, Exchange *exchange)
{
    TRY(check(array, &exchange->halo));
    int code = add_requests(array, exchange);
    if (code != MPI_SUCCESS)
        (void)exchange_free(exchange);
    exchange->is_made = code == MPI_SUCCESS;
    return code;
}

static int start(Rankine_Array array, Exchange *exchange)
{
    array->started = exchange;
    return MPI_Startall(exchange->count, exchange->requests);
}

static int only_one(Rankine_Array array)
{
    if (array->started == NULL)
        return MPI_SUCCESS;
    return arrays_misuse(array->layout.grid, array->name, -1, "a halo is started while one is under way");
}

int Rankine_Start_halo(Rankine_Array array, int which)
{
    Exchange *exchange = &array->halos[which != RANKINE_FACES];
    TRY(only_one(array));
    if (!exchange->is_made) {
        exchange->halo = which != RANKINE_FACES ? Rankine_corners() : Rankine_faces();
        TRY(make(array, exchange));
    }
    return start(array, exchange);
}

int Rankine_Finish_halo(Rankine_Array array)
{
    Exchange *exchange = array->started;
    if (exchange == NULL)
        return arrays_misuse(array->layout.grid, array->name, -1, "no halo is under way that could be finished");
    array->started = NULL;
    return MPI_Waitall(exchange->count, exchange->requests, MPI_STATUSES_IGNORE);
}

int Rankine_Write_halo(Rankine_Array array)
{
    TRY(Rankine_Start_halo(array, RANKINE_FACES));
    return Rankine_Finish_halo(array);
}

Rankine_Halo Rankine_faces(void)
{
    Rankine_Halo halo = {.wrong = -1};
    for (int d = 0; d < RANKINE_DIMENSIONS; d++)
        halo.widths[d][0] = halo.widths[d][1] = -1;
    return halo;
}

Rankine_Halo Rankine_corners(void)
{
    Rankine_Halo halo = Rankine_faces();
    halo.corners = 1;
    return halo;
}

Rankine_Halo Rankine_width(Rankine_Halo halo, int dimension, int below, int above)
{
    if (dimension < 0 || dimension >= RANKINE_DIMENSIONS) {
        halo.wrong = dimension < 0 ? MANY : dimension;
        return halo;
    }
    halo.widths[dimension][0] = below;
    halo.widths[dimension][1] = above;
    return halo;
}

Rankine_Halo Rankine_skip(Rankine_Halo halo, int dimension)
{
    return Rankine_width(halo, dimension, 0, 0);
}

/* What was made for this halo, or is made now. */
int arrays_start_halo(Rankine_Array array, const Rankine_Halo *halo)
{
    TRY(only_one(array));
    Exchange *exchange = array->others;
    while (exchange != NULL && memcmp(&exchange->halo, halo, sizeof *halo) != 0)
        exchange = exchange->next;
    if (exchange == NULL) {
        exchange = calloc(1, sizeof *exchange);
        if (exchange == NULL)
            return arrays_misuse(array->layout.grid, array->name, -1, "there is no memory for its halo");
        exchange->halo = *halo;
        int code = make(array, exchange);
        if (code != MPI_SUCCESS) {
            free(exchange);
            return code;
        }
        exchange->next = array->others;
        array->others = exchange;
    }
    return start(array, exchange);
}

int Rankine_Start_halo_of(Rankine_Array array, Rankine_Halo halo)
{
    return arrays_start_halo(array, &halo);
}

int Rankine_Write_halo_of(Rankine_Array array, Rankine_Halo halo)
{
    TRY(arrays_start_halo(array, &halo));
    return Rankine_Finish_halo(array);
}
