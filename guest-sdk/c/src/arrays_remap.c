/* Copies between arrays, whatever their distributions: straight, shifted or skewed; compiled or made and run once. */
#include "arrays_internal.h"

#include <stdlib.h>

/* What becomes of an index on the way. */
typedef struct {
    enum { STRAIGHT, SHIFTED, SKEWED } kind;
    Shift shift;
    int along;
} How;

static int is_spread(const Layout *layout)
{
    for (int d = 0; d < layout->dimensions; d++)
        if (layout->cuts[d].step == 0)
            return 1;
    return 0;
}

int array_check_written(Rankine_Array array)
{
    if (!is_spread(&array->layout))
        return MPI_SUCCESS;
    return arrays_misuse(array->layout.grid, array->name, -1, "a view that spreads it can't be written to");
}

int array_check_extents(Rankine_Array target, Rankine_Array source)
{
    const Layout *to = &target->layout, *from = &source->layout;
    if (to->grid != from->grid)
        return arrays_misuse(to->grid, target->name, -1, "it lies over another grid than array \"%s\"", source->name);
    if (to->dimensions != from->dimensions)
        return arrays_misuse(to->grid, target->name, -1, "it has %d dimensions, and array \"%s\" has %d", to->dimensions, source->name, from->dimensions);
    for (int d = 0; d < to->dimensions; d++)
        if (to->cuts[d].count != from->cuts[d].count)
            return arrays_misuse(
                to->grid, target->name, grid_shown(to->grid, to->dimensions, d),
                "it has %d indices, and array \"%s\" has %d", to->cuts[d].count, source->name, from->cuts[d].count
            );
    return MPI_SUCCESS;
}

static int check_pair(Rankine_Array target, Rankine_Array source)
{
    const Layout *to = &target->layout;
    TRY(array_check_extents(target, source));
    if (target->size != source->size)
        return arrays_misuse(to->grid, target->name, -1, "its elements have other sizes than those of array \"%s\"", source->name);
    if (target == source || (target->data == source->data && layout_equal(to, &source->layout)))
        return arrays_misuse(to->grid, target->name, -1, "it can't be copied to itself");
    return array_check_written(target);
}

static int make(Moves *moves, Rankine_Array target, Rankine_Array source, const How *how)
{
    const Layout *to = &target->layout, *from = &source->layout;
    int dimension = how->shift.dimension;
    TRY(check_pair(target, source));
    if (how->kind != STRAIGHT)
        TRY(array_check_dimension(target, dimension));
    if (how->kind != SKEWED)
        return moves_make(moves, to, from, how->shift, target->element, target->size);
    TRY(array_check_dimension(target, how->along));
    if (dimension == how->along)
        return arrays_misuse(to->grid, target->name, grid_shown(to->grid, to->dimensions, dimension), "a dimension can't be skewed along itself");
    return moves_skew(moves, to, from, dimension, how->along, how->shift.by, target->element, target->size);
}

/* A copy that is made and run once. */
static int once(Rankine_Array target, Rankine_Array source, How how)
{
    Moves moves;
    TRY(make(&moves, target, source, &how));
    int code = moves_run(&moves, target->layout.grid, target->data, source->data);
    moves_free(&moves);
    return code;
}

static How straight(void)
{
    return (How){STRAIGHT, moves_straight, -1};
}

static How shifted(int dimension, int by, int wraps)
{
    return (How){SHIFTED, {dimension, by, wraps}, -1};
}

static How skewed(int dimension, int along, int by)
{
    return (How){SKEWED, {dimension, by, 1}, along};
}

int Rankine_Copy(Rankine_Array target, Rankine_Array source)
{
    return once(target, source, straight());
}

int Rankine_Transpose(Rankine_Array target, Rankine_Array source, const int order[])
{
    Rankine_Array turned;
    TRY(Rankine_Array_transposed(source, order, &turned));
    int code = once(target, turned, straight());
    int freed = Rankine_Array_free(&turned);
    return code != MPI_SUCCESS ? code : freed;
}

int Rankine_Shift(Rankine_Array target, Rankine_Array source, int dimension, int by)
{
    return once(target, source, shifted(dimension, by, 0));
}

int Rankine_Cshift(Rankine_Array target, Rankine_Array source, int dimension, int by)
{
    return once(target, source, shifted(dimension, by, 1));
}

int Rankine_Skew(Rankine_Array target, Rankine_Array source, int dimension, int along, int by)
{
    return once(target, source, skewed(dimension, along, by));
}

static int create(Rankine_Array target, Rankine_Array source, How how, Rankine_Remap *remap)
{
    struct Rankine_Remap_ made = {.size = target->size};
    TRY(make(&made.moves, target, source, &how));
    int code = layout_copy(&made.target, &target->layout);
    if (code == MPI_SUCCESS)
        code = layout_copy(&made.source, &source->layout);
    *remap = code == MPI_SUCCESS ? malloc(sizeof made) : NULL;
    if (*remap == NULL) {
        layout_free(&made.target);
        layout_free(&made.source);
        moves_free(&made.moves);
        return code != MPI_SUCCESS ? code : MPI_ERR_NO_MEM;
    }
    **remap = made;
    return MPI_SUCCESS;
}

int Rankine_Remap_create(Rankine_Array target, Rankine_Array source, Rankine_Remap *remap)
{
    return create(target, source, straight(), remap);
}

int Rankine_Remap_create_shift(Rankine_Array target, Rankine_Array source, int dimension, int by, Rankine_Remap *remap)
{
    return create(target, source, shifted(dimension, by, 0), remap);
}

int Rankine_Remap_create_cshift(Rankine_Array target, Rankine_Array source, int dimension, int by, Rankine_Remap *remap)
{
    return create(target, source, shifted(dimension, by, 1), remap);
}

int Rankine_Remap_create_skew(Rankine_Array target, Rankine_Array source, int dimension, int along, int by, Rankine_Remap *remap)
{
    return create(target, source, skewed(dimension, along, by), remap);
}

int Rankine_Remap_run(Rankine_Remap remap, Rankine_Array target, Rankine_Array source)
{
    if (target == source)
        return arrays_misuse(target->layout.grid, target->name, -1, "it can't be copied to itself");
    if (target->size != remap->size || !layout_equal(&target->layout, &remap->target) || !layout_equal(&source->layout, &remap->source))
        return arrays_misuse(target->layout.grid, target->name, -1, "this copy was made for arrays that are distributed in another way than this one and \"%s\"", source->name);
    return moves_run(&remap->moves, target->layout.grid, target->data, source->data);
}

int Rankine_Remap_free(Rankine_Remap *remap)
{
    layout_free(&(*remap)->target);
    layout_free(&(*remap)->source);
    moves_free(&(*remap)->moves);
    free(*remap);
    *remap = NULL;
    return MPI_SUCCESS;
}

/* Between an array and all its elements at one rank, or at each. */
static int collect(Rankine_Array array, int root, void *all, int gathers)
{
    Layout *own = &array->layout, whole;
    int extents[MANY];
    Moves moves;
    if ((root < 0 && !(gathers && root == RANKINE_ALL)) || root >= own->grid->size)
        return arrays_misuse(own->grid, array->name, -1, "there is no rank %d to gather at or to scatter from", root);
    if (!gathers)
        TRY(array_check_written(array));
    for (int d = 0; d < own->dimensions; d++)
        extents[d] = own->cuts[d].count;
    TRY(layout_whole(&whole, own->grid, own->dimensions, extents, root));
    int code = moves_make(&moves, gathers ? &whole : own, gathers ? own : &whole, moves_straight, array->element, array->size);
    if (code == MPI_SUCCESS) {
        code = moves_run(&moves, own->grid, gathers ? all : array->data, gathers ? array->data : all);
        moves_free(&moves);
    }
    layout_free(&whole);
    return code;
}

int Rankine_Array_gather(Rankine_Array array, int root, void *all)
{
    return collect(array, root, all, 1);
}

int Rankine_Array_scatter(Rankine_Array array, int root, const void *all)
{
    return collect(array, root, (void *)all, 0);
}
