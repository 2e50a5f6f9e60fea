/* Grids of ranks, ranges, and how ranges are laid over grids. */
#include "arrays_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char text[512];

const char *Rankine_Arrays_error(void)
{
    return text;
}

int arrays_misuse(Rankine_Grid grid, const char *name, int dimension, const char *format, ...)
{
    int length = 0;
    va_list arguments;
    if (name != NULL)
        length = snprintf(text, sizeof text, "array \"%.100s\"", name);
    if (dimension >= 0)
        length += snprintf(text + length, sizeof text - length, ", dimension %d", dimension);
    length += snprintf(text + length, sizeof text - length, "%srank %d: ", name != NULL ? ", " : "", grid->rank);
    va_start(arguments, format);
    vsnprintf(text + length, sizeof text - length, format, arguments);
    va_end(arguments);
    if (!grid->returns_errors) {
        fprintf(stderr, "%s\n", text);
        MPI_Abort(grid->comm, 1);
    }
    return MPI_ERR_ARG;
}

int grid_shown(Rankine_Grid grid, int dimensions, int dimension)
{
    return grid->is_fortran ? dimensions - dimension : dimension;
}

void arrays_in_fortran(Rankine_Grid grid)
{
    grid->is_fortran = 1;
}

static int returns_errors(MPI_Comm comm)
{
    MPI_Errhandler handler;
    MPI_Comm_get_errhandler(comm, &handler);
    int returns = handler == MPI_ERRORS_RETURN;
    if (handler != MPI_ERRHANDLER_NULL)
        MPI_Errhandler_free(&handler);
    return returns;
}

/* Whether so many ranks can have this shape. */
static int fits(int size, int dimensions, const int shape[])
{
    int given = 1, is_open = 0;
    for (int d = 0; d < dimensions; d++) {
        if (shape[d] < 0)
            return 0;
        is_open |= shape[d] == 0;
        if (shape[d] > 0 && __builtin_mul_overflow(given, shape[d], &given))
            return 0;
    }
    return is_open ? size % given == 0 : size == given;
}

int Rankine_Grid_create(MPI_Comm comm, int dimensions, const int shape[], Rankine_Grid *grid)
{
    struct Rankine_Grid_ made = {.comm = comm, .dimensions = dimensions};
    TRY(MPI_Comm_size(comm, &made.size));
    TRY(MPI_Comm_rank(comm, &made.rank));
    made.returns_errors = returns_errors(comm);
    if (dimensions < 1 || dimensions > RANKINE_GRID_DIMENSIONS)
        return arrays_misuse(&made, NULL, -1, "a grid has 1 to 3 dimensions, not %d", dimensions);
    for (int d = 0; d < dimensions; d++)
        made.shape[d] = shape != NULL ? shape[d] : 0;
    if (!fits(made.size, dimensions, made.shape))
        return arrays_misuse(&made, NULL, -1, "%d ranks can't be a grid of the given shape", made.size);
    TRY(MPI_Dims_create(made.size, dimensions, made.shape));
    for (int d = 0; d < dimensions; d++)
        made.coords[d] = grid_coordinate(&made, made.rank, d);
    *grid = malloc(sizeof made);
    if (*grid == NULL)
        return arrays_misuse(&made, NULL, -1, "there is no memory for a grid");
    int code = MPI_Comm_dup(comm, &made.comm);
    if (code != MPI_SUCCESS) {
        free(*grid);
        *grid = NULL;
        return code;
    }
    **grid = made;
    return MPI_SUCCESS;
}

int Rankine_Grid_free(Rankine_Grid *grid)
{
    TRY(MPI_Comm_free(&(*grid)->comm));
    free(*grid);
    *grid = NULL;
    return MPI_SUCCESS;
}

int Rankine_Grid_get(Rankine_Grid grid, int shape[], int coords[])
{
    if (shape != NULL)
        memcpy(shape, grid->shape, grid->dimensions * sizeof *shape);
    if (coords != NULL)
        memcpy(coords, grid->coords, grid->dimensions * sizeof *coords);
    return MPI_SUCCESS;
}

MPI_Comm Rankine_Grid_comm(Rankine_Grid grid)
{
    return grid->comm;
}

int grid_coordinate(Rankine_Grid grid, int rank, int dimension)
{
    for (int d = grid->dimensions - 1; d > dimension; d--)
        rank /= grid->shape[d];
    return rank % grid->shape[dimension];
}

int grid_rank(Rankine_Grid grid, const int coords[])
{
    int rank = 0;
    for (int d = 0; d < grid->dimensions; d++)
        rank = rank * grid->shape[d] + coords[d];
    return rank;
}

static Rankine_Range range(int extent, int kind)
{
    return (Rankine_Range){.extent = extent, .kind = kind, .along = -1};
}

Rankine_Range Rankine_collapsed(int extent)
{
    return range(extent, RANKINE_COLLAPSED);
}

Rankine_Range Rankine_block(int extent)
{
    return range(extent, RANKINE_BLOCK);
}

Rankine_Range Rankine_cyclic(int extent, int block)
{
    Rankine_Range made = range(extent, RANKINE_CYCLIC);
    made.block = block;
    return made;
}

Rankine_Range Rankine_irregular(int count, const int *blocks)
{
    Rankine_Range made = range(0, RANKINE_IRREGULAR);
    made.block = count;
    made.blocks = blocks;
    for (int n = 0; n < count; n++)
        if (blocks[n] < 0 || __builtin_add_overflow(made.extent, blocks[n], &made.extent)) {
            made.extent = -1; /* refused where an array is created */
            break;
        }
    return made;
}

Rankine_Range Rankine_ghosts(Rankine_Range range, int below, int above)
{
    range.below = below;
    range.above = above;
    return range;
}

Rankine_Range Rankine_periodic(Rankine_Range range)
{
    range.periodic = 1;
    return range;
}

Rankine_Range Rankine_along(Rankine_Range range, int dimension)
{
    range.along = dimension;
    return range;
}

int axis_count(const Axis *axis, int part)
{
    if (axis->block == 0)
        return axis->starts[part + 1] - axis->starts[part];
    int round = axis->block * axis->parts, rest = axis->extent % round - part * axis->block;
    rest = rest < 0 ? 0 : rest > axis->block ? axis->block : rest;
    return axis->extent / round * axis->block + rest;
}

int axis_room(const Axis *axis)
{
    return axis->below + axis_count(axis, axis->part) + axis->above;
}

int axis_place(const Axis *axis, int index, int *at)
{
    if (axis->block != 0) {
        int turn = index / axis->block;
        *at = turn / axis->parts * axis->block + index % axis->block;
        return turn % axis->parts;
    }
    int low = 0, high = axis->parts; /* starts[low] <= index < starts[high] */
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        *(axis->starts[middle] <= index ? &low : &high) = middle;
    }
    *at = index - axis->starts[low];
    return low;
}

int axis_global(const Axis *axis, int local)
{
    if (axis->block == 0)
        return axis->starts[axis->part] + local - axis->below;
    return (local / axis->block * axis->parts + axis->part) * axis->block + local % axis->block;
}

int axis_stored(const Axis *axis, int global)
{
    int at;
    if (axis->block == 0) {
        at = global - axis->starts[axis->part] + axis->below;
        return at >= 0 && at < axis_room(axis) ? at : -1;
    }
    if (global < 0 || global >= axis->extent || axis_place(axis, global, &at) != axis->part)
        return -1;
    return at;
}

static int fill_starts(Axis *axis, const Rankine_Range *range)
{
    axis->starts = malloc((axis->parts + 1) * sizeof *axis->starts);
    if (axis->starts == NULL)
        return -1;
    int each = range->extent / axis->parts, rest = range->extent % axis->parts;
    axis->starts[0] = 0;
    for (int p = 0; p < axis->parts; p++) {
        int length = range->kind == RANKINE_IRREGULAR ? range->blocks[p] : each + (p < rest);
        axis->starts[p + 1] = axis->starts[p] + length;
    }
    return 0;
}

static int check_ghosts(const Axis *axis, Rankine_Grid grid, const char *name, int dimension)
{
    int widest = axis->below > axis->above ? axis->below : axis->above;
    if (axis->below < 0 || axis->above < 0)
        return arrays_misuse(grid, name, dimension, "it has a negative number of ghost cells");
    if (widest > 0 && axis->block != 0)
        return arrays_misuse(grid, name, dimension, "a range that is dealt out in turn can't have ghost cells");
    if (widest == 0 || (axis->parts == 1 && !axis->periodic))
        return MPI_SUCCESS;
    for (int p = 0; p < axis->parts; p++)
        if (axis_count(axis, p) < widest)
            return arrays_misuse(grid, name, dimension, "its ghosts are %d wide, but block %d has only %d elements", widest, p, axis_count(axis, p));
    return MPI_SUCCESS;
}

static int lay_axis(Axis *axis, const Rankine_Range *range, Rankine_Grid grid, const char *name, int dimension, int along)
{
    *axis = (Axis){.extent = range->extent, .along = along, .parts = 1, .below = range->below, .above = range->above, .periodic = range->periodic};
    if (along >= 0) {
        axis->parts = grid->shape[along];
        axis->part = grid->coords[along];
    }
    if (range->extent < 0)
        return arrays_misuse(grid, name, dimension, "its extent is not a number of indices");
    if (range->kind == RANKINE_IRREGULAR && range->block != axis->parts)
        return arrays_misuse(grid, name, dimension, "%d block sizes are given for %d ranks along this dimension", range->block, axis->parts);
    int round;
    if (range->kind == RANKINE_CYCLIC) {
        axis->block = range->block;
        if (range->block < 1 || __builtin_mul_overflow(range->block, axis->parts, &round))
            return arrays_misuse(grid, name, dimension, "blocks of %d can't be dealt out", range->block);
    } else if (fill_starts(axis, range) != 0) {
        return arrays_misuse(grid, name, dimension, "there is no memory for its range");
    }
    return check_ghosts(axis, grid, name, dimension);
}

/* The grid's dimension for each range: those that ask for one first. */
static int choose(int along[], Rankine_Grid grid, const char *name, int dimensions, const Rankine_Range ranges[])
{
    int taken[RANKINE_GRID_DIMENSIONS] = {0};
    for (int d = 0; d < dimensions; d++) {
        int shown = grid_shown(grid, dimensions, d);
        along[d] = -1;
        if (ranges[d].kind == RANKINE_COLLAPSED || ranges[d].along < 0)
            continue;
        if (ranges[d].along >= grid->dimensions)
            return arrays_misuse(grid, name, shown, "the grid has no dimension %d", ranges[d].along + grid->is_fortran);
        if (taken[ranges[d].along]++)
            return arrays_misuse(grid, name, shown, "dimension %d of the grid is taken by another range", ranges[d].along + grid->is_fortran);
        along[d] = ranges[d].along;
    }
    for (int d = 0; d < dimensions; d++) {
        if (ranges[d].kind == RANKINE_COLLAPSED || along[d] >= 0)
            continue;
        int free = 0;
        while (free < grid->dimensions && taken[free])
            free++;
        if (free == grid->dimensions)
            return arrays_misuse(grid, name, grid_shown(grid, dimensions, d), "the grid has no dimension left for this range");
        taken[free] = 1;
        along[d] = free;
    }
    return MPI_SUCCESS;
}

int layout_lay(Layout *layout, Rankine_Grid grid, const char *name, int dimensions, const Rankine_Range ranges[])
{
    int along[MANY];
    *layout = (Layout){.grid = grid, .only = -1};
    if (dimensions < 1 || dimensions > MANY)
        return arrays_misuse(grid, name, -1, "an array has 1 to 4 dimensions, not %d", dimensions);
    TRY(choose(along, grid, name, dimensions, ranges));
    for (; layout->dimensions < dimensions; layout->dimensions++) {
        int d = layout->dimensions;
        int code = lay_axis(&layout->axes[d], &ranges[d], grid, name, grid_shown(grid, dimensions, d), along[d]);
        if (code != MPI_SUCCESS) {
            free(layout->axes[d].starts);
            layout_free(layout);
            return code;
        }
    }
    MPI_Aint stride = 1;
    for (int d = dimensions - 1; d >= 0; d--) {
        layout->strides[d] = stride;
        layout->offset += layout->axes[d].below * stride;
        if (__builtin_mul_overflow(stride, axis_room(&layout->axes[d]), &stride)) {
            layout_free(layout);
            return arrays_misuse(grid, name, -1, "its part here has more bytes than a memory can have");
        }
    }
    return MPI_SUCCESS;
}

int layout_whole(Layout *layout, Rankine_Grid grid, int dimensions, const int extents[], int only)
{
    Rankine_Range ranges[MANY];
    for (int d = 0; d < dimensions; d++)
        ranges[d] = Rankine_collapsed(extents[d]);
    TRY(layout_lay(layout, grid, "(all elements)", dimensions, ranges));
    layout->only = only;
    return MPI_SUCCESS;
}

int layout_copy(Layout *to, const Layout *from)
{
    *to = *from;
    for (int d = 0; d < from->dimensions; d++)
        to->axes[d].starts = NULL;
    for (int d = 0; d < from->dimensions; d++) {
        const Axis *axis = &from->axes[d];
        if (axis->starts == NULL)
            continue;
        size_t bytes = (axis->parts + 1) * sizeof *axis->starts;
        to->axes[d].starts = malloc(bytes);
        if (to->axes[d].starts == NULL) {
            layout_free(to);
            return MPI_ERR_NO_MEM;
        }
        memcpy(to->axes[d].starts, axis->starts, bytes);
    }
    return MPI_SUCCESS;
}

void layout_free(Layout *layout)
{
    for (int d = 0; d < layout->dimensions; d++)
        free(layout->axes[d].starts);
    layout->dimensions = 0;
}

static int same_axis(const Axis *a, const Axis *b)
{
    if (a->extent != b->extent || a->along != b->along || a->parts != b->parts || a->block != b->block || a->below != b->below || a->above != b->above)
        return 0;
    return a->block != 0 || memcmp(a->starts, b->starts, (a->parts + 1) * sizeof *a->starts) == 0;
}

int layout_equal(const Layout *a, const Layout *b)
{
    if (a->grid != b->grid || a->dimensions != b->dimensions || a->only != b->only)
        return 0;
    for (int d = 0; d < a->dimensions; d++)
        if (!same_axis(&a->axes[d], &b->axes[d]))
            return 0;
    return 1;
}

int layout_is_determined(const Layout *layout, int along)
{
    for (int d = 0; d < layout->dimensions; d++)
        if (layout->axes[d].along == along)
            return 1;
    return layout->only >= 0;
}

int layout_is_first_holder(const Layout *layout)
{
    for (int along = 0; along < layout->grid->dimensions; along++)
        if (layout->grid->coords[along] != 0 && !layout_is_determined(layout, along))
            return 0;
    return layout->only < 0 || layout->only == layout->grid->rank;
}
