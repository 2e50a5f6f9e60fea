/* Checks a datatype made of MPI_INT against the list of the byte offsets of its integers, in the order of its type map. */
#ifndef LAYOUT_H
#define LAYOUT_H

#include "../check.h"

enum { ARENA = 1 << 16, MOST = 1 << 12 };
/* Elements begin in the middle, so that offsets may be negative. */
static char layout_from[ARENA] __attribute__((aligned(16))), layout_to[ARENA] __attribute__((aligned(16)));
static int layout_packed[MOST];

static int layout_value(int i)
{
    return 1000 + 7 * i;
}

static void layout_write(char *arena, const long *offsets, int n, long extent, int count)
{
    memset(arena, 0x5a, ARENA);
    for (int e = 0; e < count; e++)
        for (int i = 0; i < n; i++) {
            int value = layout_value(e * n + i);
            memcpy(arena + ARENA / 2 + e * extent + offsets[i], &value, sizeof value);
        }
}

static void layout_read(const int *values, int n)
{
    for (int i = 0; i < n; i++)
        CHECK_INT(values[i], layout_value(i));
}

/* Sizes, extents, packing, and messages between the layout and a plain array, both ways: the holes stay what they were. */
static void check_layout(MPI_Datatype type, const long *offsets, int n, long lb, long extent)
{
    count_t size_of = -1, bytes = -1, position = 0;
    aint_t got_lb = -1, got_extent = -1, low = 0, high = 0;
    MPI_Status status;
    TRY(MPI_Type_commit(&type));
    TRY(MPI_Type_size(type, &size_of));
    CHECK_INT(size_of, n * sizeof(int));
    TRY(MPI_Type_get_extent(type, &got_lb, &got_extent));
    // An empty type map has bounds 0 (MPI 5.1); MPICH 5.0 makes up others for some.
    int exact = n > 0 || embedded();
    if (exact) {
        CHECK_INT(got_lb, lb);
        CHECK_INT(got_extent, extent);
    }
    for (int i = 0; i < n; i++) {
        low = i == 0 || offsets[i] < low ? offsets[i] : low;
        high = i == 0 || offsets[i] + (long)sizeof(int) > high ? offsets[i] + (long)sizeof(int) : high;
    }
    TRY(MPI_Type_get_true_extent(type, &got_lb, &got_extent));
    if (n > 0)
        CHECK_INT(got_lb, low);
    if (exact)
        CHECK_INT(got_extent, high - low);
    for (int count = 0; count <= 3; count++) {
        int total = n * count;
        if (total > MOST)
            check_fail(__FILE__, __LINE__, "count", "too many elements for the test");
        layout_write(layout_from, offsets, n, extent, count);
        TRY(MPI_Pack_size(count, type, MPI_COMM_SELF, &bytes));
        CHECK(bytes >= (count_t)(total * sizeof(int)) && bytes <= (count_t)sizeof layout_packed);
        position = 0;
        TRY(MPI_Pack(layout_from + ARENA / 2, count, type, layout_packed, sizeof layout_packed, &position, MPI_COMM_SELF));
        CHECK_INT(position, total * sizeof(int));
        layout_read(layout_packed, total);
        memset(layout_to, 0x5a, ARENA);
        position = 0;
        TRY(MPI_Unpack(layout_packed, total * sizeof(int), &position, layout_to + ARENA / 2, count, type, MPI_COMM_SELF));
        CHECK_INT(position, total * sizeof(int));
        CHECK_BYTES(layout_to, layout_from, ARENA);
        // The layout to a plain array.
        memset(layout_packed, 0, sizeof layout_packed);
        TRY(MPI_Sendrecv(layout_from + ARENA / 2, count, type, 0, 0, layout_packed, MOST, MPI_INT, 0, 0, MPI_COMM_SELF, &status));
        CHECK_COUNT(status, MPI_INT, total);
        layout_read(layout_packed, total);
        // And back.
        memset(layout_to, 0x5a, ARENA);
        TRY(MPI_Sendrecv(layout_packed, total, MPI_INT, 0, 0, layout_to + ARENA / 2, count, type, 0, 0, MPI_COMM_SELF, &status));
        CHECK_BYTES(layout_to, layout_from, ARENA);
        if (n > 0)
            CHECK_COUNT(status, type, count);
        // From layout to layout, through another rank of the world if there is one.
        int next = (rank + 1) % size, before = (rank + size - 1) % size;
        memset(layout_to, 0x5a, ARENA);
        TRY(MPI_Sendrecv(layout_from + ARENA / 2, count, type, next, 0, layout_to + ARENA / 2, count, type, before, 0, MPI_COMM_WORLD, &status));
        CHECK_BYTES(layout_to, layout_from, ARENA);
        // A message that fills the last element only in part.
        if (n > 1 && count > 0) {
            count_t elements = -1;
            TRY(MPI_Sendrecv(layout_packed, total - 1, MPI_INT, 0, 0, layout_to + ARENA / 2, count, type, 0, 0, MPI_COMM_SELF, &status));
            CHECK_COUNT(status, type, MPI_UNDEFINED);
            TRY(MPI_Get_elements(&status, type, &elements));
            CHECK_INT(elements, total - 1);
        }
    }
}

#endif
