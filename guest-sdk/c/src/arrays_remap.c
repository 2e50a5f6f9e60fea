/* Copies between distributions: who sends which elements to whom, as datatypes. */
#include "arrays_internal.h"

#include <stdlib.h>
#include <string.h>

/* `old` at each of these places, in bytes, the first of which is 0. `solid` is the bytes of `old` if it has no gaps, else
 * 0, and becomes that of the new type. Takes `old`. */
static int layer(MPI_Datatype *type, MPI_Aint *solid, const MPI_Aint places[], int count)
{
    if (count == 1)
        return MPI_SUCCESS;
    MPI_Datatype old = *type;
    int *lengths = malloc(count * sizeof *lengths), runs = 0, is_even = 1, code;
    MPI_Aint *starts = malloc(count * sizeof *starts);
    if (lengths == NULL || starts == NULL) {
        free(lengths);
        free(starts);
        return MPI_ERR_NO_MEM;
    }
    for (int n = 0; n < count; n++) {
        if (runs > 0 && *solid > 0 && starts[runs - 1] + lengths[runs - 1] * *solid == places[n]) {
            lengths[runs - 1]++;
            continue;
        }
        starts[runs] = places[n];
        lengths[runs++] = 1;
    }
    for (int n = 1; n < runs; n++)
        is_even &= lengths[n] == lengths[0] && starts[n] - starts[n - 1] == starts[1] - starts[0];
    if (runs == 1) {
        code = MPI_Type_contiguous(lengths[0], old, type);
        *solid *= lengths[0];
    } else {
        code = is_even ? MPI_Type_create_hvector(runs, lengths[0], starts[1] - starts[0], old, type)
                       : MPI_Type_create_hindexed(runs, lengths, starts, old, type);
        *solid = 0;
    }
    if (code == MPI_SUCCESS)
        MPI_Type_free(&old);
    free(lengths);
    free(starts);
    return code;
}

int datatype_product(const List lists[], int dimensions, MPI_Datatype element, MPI_Aint size, MPI_Datatype *datatype, MPI_Aint *first)
{
    MPI_Aint solid = size;
    *first = 0;
    TRY(MPI_Type_dup(element, datatype));
    for (int d = dimensions - 1; d >= 0; d--) {
        const List *list = &lists[d];
        MPI_Aint *places = malloc(list->count * sizeof *places);
        int code = MPI_ERR_NO_MEM;
        if (places != NULL) {
            *first += list->places[0];
            for (int n = 0; n < list->count; n++)
                places[n] = (list->places[n] - list->places[0]) * size;
            code = layer(datatype, &solid, places, list->count);
        }
        free(places);
        if (code != MPI_SUCCESS) {
            MPI_Type_free(datatype);
            return code;
        }
    }
    return MPI_Type_commit(datatype);
}

/* The places of one dimension, by the other side's part. */
typedef struct {
    List *by_part;
    int parts;
} Sorted;

static int sorted_make(Sorted *sorted, int parts, int most)
{
    sorted->parts = 0;
    sorted->by_part = calloc(parts, sizeof *sorted->by_part);
    if (sorted->by_part == NULL)
        return MPI_ERR_NO_MEM;
    for (; sorted->parts < parts; sorted->parts++) {
        sorted->by_part[sorted->parts].places = malloc((most > 0 ? most : 1) * sizeof(MPI_Aint));
        if (sorted->by_part[sorted->parts].places == NULL)
            return MPI_ERR_NO_MEM;
    }
    return MPI_SUCCESS;
}

static void sorted_free(Sorted *sorted)
{
    for (int p = 0; p < sorted->parts; p++)
        free(sorted->by_part[p].places);
    free(sorted->by_part);
    *sorted = (Sorted){0};
}

static void sorted_add(Sorted *sorted, int part, MPI_Aint place)
{
    List *list = &sorted->by_part[part];
    list->places[list->count++] = place;
}

/* How an index of the target becomes one of the source. */
typedef struct {
    const int *order;
    int dimension, by, wraps;
} Map;

static int sort(Sorted *receives, Sorted *sends, const Layout *target, const Layout *source, int d, const Map *map)
{
    int from = map->order != NULL ? map->order[d] : d;
    const Axis *to_axis = &target->axes[d], *from_axis = &source->axes[from];
    int extent = from_axis->extent;
    TRY(sorted_make(receives, from_axis->parts, axis_count(to_axis, to_axis->part)));
    TRY(sorted_make(sends, to_axis->parts, axis_count(from_axis, from_axis->part)));
    for (int k = 0; k < to_axis->extent; k++) {
        long long other = d == map->dimension ? (long long)k + map->by : k;
        if (map->wraps)
            other = (other % extent + extent) % extent;
        if (other < 0 || other >= extent)
            continue;
        int to_at, from_at, to_part = axis_place(to_axis, k, &to_at), from_part = axis_place(from_axis, (int)other, &from_at);
        if (to_part == to_axis->part)
            sorted_add(receives, from_part, to_at * target->strides[d]);
        if (from_part == from_axis->part)
            sorted_add(sends, to_part, from_at * source->strides[from]);
    }
    return MPI_SUCCESS;
}

/* Whether `to` takes what it needs from `from`. Where several ranks hold the same, it is the one with its own
 * coordinates. */
static int sends_to(const Layout *source, const Layout *target, int from, int to)
{
    if ((target->only >= 0 && target->only != to) || (source->only >= 0 && source->only != from))
        return 0;
    for (int along = 0; along < source->grid->dimensions; along++)
        if (!layout_is_determined(source, along) && grid_coordinate(source->grid, from, along) != grid_coordinate(source->grid, to, along))
            return 0;
    return 1;
}

/* Adds what goes to or comes from a rank, unless that is nothing. */
static int add(Messages *messages, int rank, const Layout *own, const List lists[], MPI_Datatype element, MPI_Aint size)
{
    for (int d = 0; d < own->dimensions; d++)
        if (lists[d].count == 0)
            return MPI_SUCCESS;
    Message message = {.rank = rank};
    MPI_Aint first;
    TRY(datatype_product(lists, own->dimensions, element, size, &message.datatype, &first));
    message.offset = (own->offset + first) * size;
    messages->messages[messages->count++] = message;
    return MPI_SUCCESS;
}

static int part_of(const Axis *axis, Rankine_Grid grid, int rank)
{
    return axis->along < 0 ? 0 : grid_coordinate(grid, rank, axis->along);
}

static int make_all(Moves *moves, const Layout *target, const Layout *source, const Map *map, Sorted receives[], Sorted sends[], MPI_Datatype element, MPI_Aint size)
{
    Rankine_Grid grid = target->grid;
    moves->receives.messages = malloc(grid->size * sizeof(Message));
    moves->sends.messages = malloc(grid->size * sizeof(Message));
    if (moves->receives.messages == NULL || moves->sends.messages == NULL)
        return MPI_ERR_NO_MEM;
    for (int d = 0; d < target->dimensions; d++)
        TRY(sort(&receives[d], &sends[d], target, source, d, map));
    for (int rank = 0; rank < grid->size; rank++) {
        List from[MANY], to[MANY];
        for (int d = 0; d < target->dimensions; d++) {
            const Axis *axis = &source->axes[map->order != NULL ? map->order[d] : d];
            from[d] = receives[d].by_part[part_of(axis, grid, rank)];
            to[d] = sends[d].by_part[part_of(&target->axes[d], grid, rank)];
        }
        if (sends_to(source, target, rank, grid->rank))
            TRY(add(&moves->receives, rank, target, from, element, size));
        if (sends_to(source, target, grid->rank, rank))
            TRY(add(&moves->sends, rank, source, to, element, size));
    }
    return MPI_SUCCESS;
}

int moves_make(Moves *moves, const Layout *target, const Layout *source, const int order[], int dimension, int by, int wraps, MPI_Datatype element, MPI_Aint size)
{
    Sorted receives[MANY] = {0}, sends[MANY] = {0};
    Map map = {order, dimension, by, wraps};
    *moves = (Moves){0};
    int code = make_all(moves, target, source, &map, receives, sends, element, size);
    for (int d = 0; d < target->dimensions; d++) {
        sorted_free(&receives[d]);
        sorted_free(&sends[d]);
    }
    if (code != MPI_SUCCESS)
        moves_free(moves);
    return code;
}

void moves_free(Moves *moves)
{
    for (int n = 0; n < moves->receives.count; n++)
        MPI_Type_free(&moves->receives.messages[n].datatype);
    for (int n = 0; n < moves->sends.count; n++)
        MPI_Type_free(&moves->sends.messages[n].datatype);
    free(moves->receives.messages);
    free(moves->sends.messages);
    *moves = (Moves){0};
}

/* Halos have smaller tags. */
enum { TAG = 100 };

int moves_run(const Moves *moves, Rankine_Grid grid, void *target, const void *source)
{
    int count = moves->receives.count + moves->sends.count, n = 0, code = MPI_SUCCESS;
    MPI_Request *requests = malloc((count > 0 ? count : 1) * sizeof *requests);
    if (requests == NULL)
        return MPI_ERR_NO_MEM;
    for (int r = 0; r < moves->receives.count && code == MPI_SUCCESS; r++, n++) {
        const Message *message = &moves->receives.messages[r];
        code = MPI_Irecv((char *)target + message->offset, 1, message->datatype, message->rank, TAG, grid->comm, &requests[n]);
    }
    for (int s = 0; s < moves->sends.count && code == MPI_SUCCESS; s++, n++) {
        const Message *message = &moves->sends.messages[s];
        code = MPI_Isend((const char *)source + message->offset, 1, message->datatype, message->rank, TAG, grid->comm, &requests[n]);
    }
    if (code == MPI_SUCCESS)
        code = MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
    free(requests);
    return code;
}

static int check_pair(Rankine_Array target, Rankine_Array source, const int order[])
{
    const Layout *to = &target->layout, *from = &source->layout;
    int seen[MANY] = {0};
    if (to->grid != from->grid)
        return arrays_misuse(to->grid, target->name, -1, "it lies over another grid than array \"%s\"", source->name);
    if (to->dimensions != from->dimensions)
        return arrays_misuse(to->grid, target->name, -1, "it has %d dimensions, and array \"%s\" has %d", to->dimensions, source->name, from->dimensions);
    if (target->size != source->size)
        return arrays_misuse(to->grid, target->name, -1, "its elements have other sizes than those of array \"%s\"", source->name);
    for (int d = 0; d < to->dimensions; d++) {
        int other = order != NULL ? order[d] : d, shown = grid_shown(to->grid, to->dimensions, d);
        if (other < 0 || other >= to->dimensions || seen[other]++)
            return arrays_misuse(to->grid, target->name, shown, "an order of dimensions names one twice, or one that is not there");
        if (to->axes[d].extent != from->axes[other].extent)
            return arrays_misuse(to->grid, target->name, shown, "it has %d indices, and array \"%s\" has %d", to->axes[d].extent, source->name, from->axes[other].extent);
    }
    return MPI_SUCCESS;
}

/* A copy that is made and run once. */
static int once(Rankine_Array target, Rankine_Array source, const int order[], int dimension, int by, int wraps)
{
    Moves moves;
    TRY(check_pair(target, source, order));
    if (target == source)
        return arrays_misuse(target->layout.grid, target->name, -1, "it can't be copied to itself");
    if (dimension < -1 || dimension >= target->layout.dimensions)
        return arrays_misuse(target->layout.grid, target->name, -1, "it has no dimension %d", dimension);
    TRY(moves_make(&moves, &target->layout, &source->layout, order, dimension, by, wraps, target->element, target->size));
    int code = moves_run(&moves, target->layout.grid, target->data, source->data);
    moves_free(&moves);
    return code;
}

int Rankine_Copy(Rankine_Array target, Rankine_Array source)
{
    return once(target, source, NULL, -1, 0, 0);
}

int Rankine_Transpose(Rankine_Array target, Rankine_Array source, const int order[])
{
    return once(target, source, order, -1, 0, 0);
}

int Rankine_Shift(Rankine_Array target, Rankine_Array source, int dimension, int by)
{
    return once(target, source, NULL, dimension, by, 0);
}

int Rankine_Cshift(Rankine_Array target, Rankine_Array source, int dimension, int by)
{
    return once(target, source, NULL, dimension, by, 1);
}

int Rankine_Remap_create(Rankine_Array target, Rankine_Array source, Rankine_Remap *remap)
{
    TRY(check_pair(target, source, NULL));
    struct Rankine_Remap_ made = {.size = target->size};
    TRY(layout_copy(&made.target, &target->layout));
    int code = layout_copy(&made.source, &source->layout);
    if (code == MPI_SUCCESS)
        code = moves_make(&made.moves, &made.target, &made.source, NULL, -1, 0, 0, target->element, target->size);
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

/* Between an array and all its elements at one rank. */
static int collect(Rankine_Array array, int root, void *all, int gathers)
{
    Layout *own = &array->layout, whole;
    int extents[MANY];
    Moves moves;
    if (root < 0 || root >= own->grid->size)
        return arrays_misuse(own->grid, array->name, -1, "there is no rank %d to gather at or to scatter from", root);
    for (int d = 0; d < own->dimensions; d++)
        extents[d] = own->axes[d].extent;
    TRY(layout_whole(&whole, own->grid, own->dimensions, extents, root));
    int code = moves_make(&moves, gathers ? &whole : own, gathers ? own : &whole, NULL, -1, 0, 0, array->element, array->size);
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
