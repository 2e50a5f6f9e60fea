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
        if (layout->cuts[d].count == 0)
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

/* This rank's part of a field, as the view takes it. */
typedef struct {
    int dimensions;
    int shape[MANY], start[MANY], count[MANY], strides[MANY];
    const void *first;
} Box;

/* Gives 0 if this rank has none, or one that another rank publishes; else 1, or a negative number without memory. */
static int box_of(Rankine_Array array, Box *box)
{
    const Layout *layout = &array->layout;
    Held held[MANY];
    MPI_Aint place = layout->offset;
    int is_there = layout_is_first_holder(layout);
    /* One dimension is a row. */
    *box = (Box){.dimensions = layout->dimensions == 1, .shape = {1}, .count = {1}};
    if (layout_held(layout, held) != MPI_SUCCESS)
        return -1;
    for (int d = 0; d < layout->dimensions && is_there; d++) {
        int to = box->dimensions++;
        is_there = held[d].count > 0;
        if (!is_there)
            break;
        place += held[d].places[0];
        box->shape[to] = layout->cuts[d].count;
        box->start[to] = held[d].indices[0];
        box->count[to] = held[d].count;
        box->strides[to] = (int)layout->strides[d] * layout->cuts[d].step;
    }
    box->first = (const char *)array->data + place * array->size;
    held_free(held);
    return is_there;
}

static int publish(Rankine_Array array, const char *name, long long step)
{
    Box box;
    int is_there = box_of(array, &box);
    if (is_there <= 0)
        return is_there < 0 ? MPI_ERR_NO_MEM : MPI_SUCCESS;
    return Rankine_View_field(name, step, box.dimensions, box.shape, box.start, box.count, box.strides, array->element, box.first);
}

/* What is dealt out in turn is brought into blocks first. */
static int publish_in_blocks(Rankine_Array array, const char *name, long long step)
{
    Rankine_Array blocks;
    TRY(array_in_blocks(array, array, &blocks));
    int code = publish(blocks, name, step);
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

/* The parts of vectors, and a field beneath them, if there is one. */
typedef struct {
    int parts, count;
    Rankine_Array all[MANY];
} Arrows;

static int check_arrows(const Arrows *arrows)
{
    Rankine_Array first = arrows->all[0];
    Rankine_Grid grid = first->layout.grid;
    if (arrows->parts < 2 || arrows->parts > 3)
        return arrays_misuse(grid, first->name, -1, "it has %d dimensions; arrows are shown over 2 or 3, and have a part for each", arrows->parts);
    for (int n = 0; n < arrows->count; n++) {
        Rankine_Array part = arrows->all[n];
        TRY(check(part));
        TRY(array_check_extents(part, first));
        if (array_kind(part) != array_kind(first) || part->size != first->size)
            return arrays_misuse(grid, part->name, -1, "its elements are of another type than those of array \"%s\", with which it is shown", first->name);
    }
    return MPI_SUCCESS;
}

/* Whether all can be shown where they lie, which must be at the same places for all. */
static int are_alike(const Arrows *arrows)
{
    const Layout *first = &arrows->all[0]->layout;
    for (int n = 0; n < arrows->count; n++) {
        const Layout *part = &arrows->all[n]->layout;
        if (!is_of_boxes(part) || !layout_is_aligned(part, first))
            return 0;
        for (int d = 0; d < part->dimensions; d++)
            if (part->strides[d] != first->strides[d])
                return 0;
    }
    return 1;
}

static int publish_arrows(const Arrows *arrows, const char *name, long long step)
{
    Box boxes[MANY];
    const Box *box = &boxes[0];
    for (int n = 0; n < arrows->count; n++) {
        int is_there = box_of(arrows->all[n], &boxes[n]);
        if (is_there <= 0)
            return is_there < 0 ? MPI_ERR_NO_MEM : MPI_SUCCESS;
    }
    return Rankine_View_arrows(
        name, step, box->dimensions, box->shape, box->start, box->count, box->strides, arrows->all[0]->element,
        arrows->count > arrows->parts ? boxes[arrows->parts].first : NULL, boxes[0].first, boxes[1].first, arrows->parts > 2 ? boxes[2].first : NULL
    );
}

int Rankine_Array_arrows(const Rankine_Array parts[], Rankine_Array values, const char *name, long long step)
{
    Arrows arrows = {.parts = parts[0]->layout.dimensions}, blocks;
    int code = MPI_SUCCESS, made = 0;
    /* With 4 dimensions, which are refused, there would be no room for the field. */
    for (; arrows.count < arrows.parts && arrows.count < 3; arrows.count++)
        arrows.all[arrows.count] = parts[arrows.count];
    if (values != NULL)
        arrows.all[arrows.count++] = values;
    TRY(check_arrows(&arrows));
    if (!Rankine_View_on())
        return MPI_SUCCESS;
    if (are_alike(&arrows))
        return publish_arrows(&arrows, name, step);
    blocks = arrows;
    while (made < arrows.count && code == MPI_SUCCESS) {
        code = array_in_blocks(arrows.all[made], arrows.all[0], &blocks.all[made]);
        made += code == MPI_SUCCESS;
    }
    if (code == MPI_SUCCESS)
        code = publish_arrows(&blocks, name, step);
    while (made > 0)
        Rankine_Array_free(&blocks.all[--made]);
    return code;
}
