/* Which index of an array, or of a part of one, lies with whom, and where here. */
#include "arrays_internal.h"

#include <stdlib.h>
#include <string.h>

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

int layout_pack(Layout *layout, const char *name)
{
    MPI_Aint stride = 1;
    layout->offset = 0;
    for (int d = layout->dimensions - 1; d >= 0; d--) {
        const Axis *axis = &layout->axes[d];
        layout->cuts[d] = (Cut){0, 1, axis->extent};
        layout->strides[d] = stride;
        layout->offset += axis->below * stride;
        if (__builtin_mul_overflow(stride, axis_room(axis), &stride))
            return arrays_misuse(layout->grid, name, -1, "its part here has more bytes than a memory can have");
    }
    return MPI_SUCCESS;
}

static void begin(Layout *layout, Rankine_Grid grid)
{
    *layout = (Layout){.grid = grid, .only = -1};
    for (int along = 0; along < RANKINE_GRID_DIMENSIONS; along++)
        layout->fixed[along] = -1;
}

int layout_lay(Layout *layout, Rankine_Grid grid, const char *name, int dimensions, const Rankine_Range ranges[])
{
    int along[MANY], code = MPI_SUCCESS;
    begin(layout, grid);
    if (dimensions < 1 || dimensions > MANY)
        return arrays_misuse(grid, name, -1, "an array has 1 to 4 dimensions, not %d", dimensions);
    TRY(choose(along, grid, name, dimensions, ranges));
    while (layout->dimensions < dimensions && code == MPI_SUCCESS) {
        int d = layout->dimensions++;
        code = axis_lay(&layout->axes[d], &ranges[d], grid, name, grid_shown(grid, dimensions, d), along[d]);
    }
    if (code == MPI_SUCCESS)
        code = layout_pack(layout, name);
    if (code != MPI_SUCCESS)
        layout_free(layout);
    return code;
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
    if (a->grid != b->grid || a->dimensions != b->dimensions || a->only != b->only || memcmp(a->fixed, b->fixed, sizeof a->fixed) != 0)
        return 0;
    for (int d = 0; d < a->dimensions; d++) {
        const Cut *own = &a->cuts[d], *other = &b->cuts[d];
        if (own->first != other->first || own->step != other->step || own->count != other->count)
            return 0;
        if (a->strides[d] != b->strides[d] || !same_axis(&a->axes[d], &b->axes[d]))
            return 0;
    }
    return a->offset == b->offset;
}

int layout_is_aligned(const Layout *a, const Layout *b)
{
    if (memcmp(a->fixed, b->fixed, sizeof a->fixed) != 0)
        return 0;
    for (int d = 0; d < a->dimensions; d++) {
        const Axis *own = &a->axes[d], *other = &b->axes[d];
        if (a->cuts[d].first != b->cuts[d].first || a->cuts[d].step != b->cuts[d].step)
            return 0;
        if (own->extent != other->extent || own->along != other->along || own->block != other->block)
            return 0;
        for (int p = 0; p < own->parts; p++)
            if (axis_count(own, p) != axis_count(other, p))
                return 0;
    }
    return 1;
}

int layout_permute(Layout *to, const Layout *from, const int order[])
{
    Layout copy;
    TRY(layout_copy(&copy, from));
    *to = copy;
    for (int d = 0; d < from->dimensions; d++) {
        to->axes[d] = copy.axes[order[d]];
        to->cuts[d] = copy.cuts[order[d]];
        to->strides[d] = copy.strides[order[d]];
    }
    return MPI_SUCCESS;
}

int layout_part(const Layout *layout, int dimension, int index, MPI_Aint *place)
{
    const Cut *cut = &layout->cuts[dimension];
    int at, part = axis_place(&layout->axes[dimension], cut->first + index * cut->step, &at);
    *place = at * layout->strides[dimension];
    return part;
}

int layout_is_determined(const Layout *layout, int along)
{
    for (int d = 0; d < layout->dimensions; d++)
        if (layout->axes[d].along == along)
            return 1;
    return layout->only >= 0 || layout->fixed[along] >= 0;
}

int layout_may_hold(const Layout *layout, int rank)
{
    for (int along = 0; along < layout->grid->dimensions; along++)
        if (layout->fixed[along] >= 0 && layout->fixed[along] != grid_coordinate(layout->grid, rank, along))
            return 0;
    return layout->only < 0 || layout->only == rank;
}

int layout_is_first_holder(const Layout *layout)
{
    for (int along = 0; along < layout->grid->dimensions; along++)
        if (layout->grid->coords[along] != 0 && !layout_is_determined(layout, along))
            return 0;
    return layout_may_hold(layout, layout->grid->rank);
}

static int hold(const Layout *layout, int d, Held *held)
{
    int most = layout->cuts[d].count, is_here = layout_may_hold(layout, layout->grid->rank);
    held->indices = malloc((most > 0 ? most : 1) * sizeof *held->indices);
    held->places = malloc((most > 0 ? most : 1) * sizeof *held->places);
    if (held->indices == NULL || held->places == NULL)
        return MPI_ERR_NO_MEM;
    for (int k = 0; k < most && is_here; k++) {
        MPI_Aint place;
        if (layout_part(layout, d, k, &place) != layout->axes[d].part)
            continue;
        held->indices[held->count] = k;
        held->places[held->count++] = place;
    }
    return MPI_SUCCESS;
}

int layout_held(const Layout *layout, Held held[])
{
    memset(held, 0, MANY * sizeof *held);
    for (int d = 0; d < layout->dimensions; d++) {
        int code = hold(layout, d, &held[d]);
        if (code != MPI_SUCCESS) {
            held_free(held);
            return code;
        }
    }
    return MPI_SUCCESS;
}

void held_free(Held held[])
{
    for (int d = 0; d < MANY; d++) {
        free(held[d].indices);
        free(held[d].places);
        held[d] = (Held){0};
    }
}
