/* Grids of ranks, and ranges laid over their dimensions. */
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
    for (int d = 0; d < dimensions; d++) {
        made.coords[d] = grid_coordinate(&made, made.rank, d);
        made.lines[d] = MPI_COMM_NULL;
    }
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
    for (int d = 0; d < (*grid)->dimensions; d++)
        if ((*grid)->lines[d] != MPI_COMM_NULL)
            TRY(MPI_Comm_free(&(*grid)->lines[d]));
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

int grid_line(Rankine_Grid grid, int along, MPI_Comm *line)
{
    int first[RANKINE_GRID_DIMENSIONS];
    Rankine_Grid_get(grid, NULL, first);
    first[along] = 0;
    if (grid->lines[along] == MPI_COMM_NULL)
        TRY(MPI_Comm_split(grid->comm, grid_rank(grid, first), grid->coords[along], &grid->lines[along]));
    *line = grid->lines[along];
    return MPI_SUCCESS;
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

int axis_lay(Axis *axis, const Rankine_Range *range, Rankine_Grid grid, const char *name, int dimension, int along)
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
