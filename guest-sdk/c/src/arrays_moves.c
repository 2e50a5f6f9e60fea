/* Who sends which elements to whom, as datatypes, so that one distribution becomes another. */
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
    int *rooms;
    int parts;
} Sorted;

static int sorted_make(Sorted *sorted, int parts)
{
    sorted->parts = parts;
    sorted->by_part = calloc(parts, sizeof *sorted->by_part);
    sorted->rooms = calloc(parts, sizeof *sorted->rooms);
    return sorted->by_part != NULL && sorted->rooms != NULL ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

static void sorted_free(Sorted *sorted)
{
    for (int p = 0; p < sorted->parts && sorted->by_part != NULL; p++)
        free(sorted->by_part[p].places);
    free(sorted->by_part);
    free(sorted->rooms);
    *sorted = (Sorted){0};
}

static int sorted_add(Sorted *sorted, int part, MPI_Aint place)
{
    List *list = &sorted->by_part[part];
    if (list->count == sorted->rooms[part]) {
        int room = list->count < 8 ? 8 : list->count + list->count / 2;
        MPI_Aint *places = realloc(list->places, room * sizeof *places);
        if (places == NULL)
            return MPI_ERR_NO_MEM;
        list->places = places;
        sorted->rooms[part] = room;
    }
    list->places[list->count++] = place;
    return MPI_SUCCESS;
}

const Shift moves_straight = {-1, 0, 0};

static int sort(Sorted *receives, Sorted *sends, const Layout *target, const Layout *source, int d, Shift shift)
{
    const Axis *to_axis = &target->axes[d], *from_axis = &source->axes[d];
    int extent = source->cuts[d].count;
    TRY(sorted_make(receives, from_axis->parts));
    TRY(sorted_make(sends, to_axis->parts));
    for (int k = 0; k < target->cuts[d].count; k++) {
        long long other = d == shift.dimension ? (long long)k + shift.by : k;
        if (shift.wraps)
            other = (other % extent + extent) % extent;
        if (other < 0 || other >= extent)
            continue;
        MPI_Aint to, from;
        int to_part = layout_part(target, d, k, &to), from_part = layout_part(source, d, (int)other, &from);
        if (to_part == to_axis->part)
            TRY(sorted_add(receives, from_part, to));
        if (from_part == from_axis->part)
            TRY(sorted_add(sends, to_part, from));
    }
    return MPI_SUCCESS;
}

/* Whether `to` takes what it needs from `from`. Where several ranks hold the same, it is the one with its own
 * coordinates. */
static int sends_to(const Layout *source, const Layout *target, int from, int to)
{
    if (!layout_may_hold(target, to) || !layout_may_hold(source, from))
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

static int make_all(Moves *moves, const Layout *target, const Layout *source, Shift shift, Sorted receives[], Sorted sends[], MPI_Datatype element, MPI_Aint size)
{
    Rankine_Grid grid = target->grid;
    moves->receives.messages = malloc(grid->size * sizeof(Message));
    moves->sends.messages = malloc(grid->size * sizeof(Message));
    if (moves->receives.messages == NULL || moves->sends.messages == NULL)
        return MPI_ERR_NO_MEM;
    for (int d = 0; d < target->dimensions; d++)
        TRY(sort(&receives[d], &sends[d], target, source, d, shift));
    for (int rank = 0; rank < grid->size; rank++) {
        List from[MANY], to[MANY];
        for (int d = 0; d < target->dimensions; d++) {
            from[d] = receives[d].by_part[part_of(&source->axes[d], grid, rank)];
            to[d] = sends[d].by_part[part_of(&target->axes[d], grid, rank)];
        }
        if (sends_to(source, target, rank, grid->rank))
            TRY(add(&moves->receives, rank, target, from, element, size));
        if (sends_to(source, target, grid->rank, rank))
            TRY(add(&moves->sends, rank, source, to, element, size));
    }
    return MPI_SUCCESS;
}

int moves_make(Moves *moves, const Layout *target, const Layout *source, Shift shift, MPI_Datatype element, MPI_Aint size)
{
    Sorted receives[MANY] = {0}, sends[MANY] = {0};
    *moves = (Moves){0};
    int code = make_all(moves, target, source, shift, receives, sends, element, size);
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
