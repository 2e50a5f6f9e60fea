/* Distributed arrays with drawn ranges, for the tests of them in C. */
#ifndef DRAWN_H
#define DRAWN_H

#include "../check.h"
#include <rankine/arrays.h>
#include <stdlib.h>
#include <string.h>

static unsigned long long state;

static int below(int end)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (int)((state >> 11) % end);
}

/* Any range for this extent over a dimension of the grid; those with ghosts are blocks of at least 2. */
static Rankine_Range draw(Rankine_Grid grid, int along, int extent, int *blocks)
{
    int shape[3];
    Rankine_Grid_get(grid, shape, NULL);
    switch (along < 0 ? 4 : below(4)) {
    case 0:
        return Rankine_along(Rankine_block(extent), along);
    case 1:
        return Rankine_along(Rankine_cyclic(extent, 1 + below(3)), along);
    case 2:
        blocks[0] = extent;
        for (int n = 1; n < shape[along]; n++) {
            blocks[n] = below(blocks[0] + 1);
            blocks[0] -= blocks[n];
        }
        return Rankine_along(Rankine_irregular(shape[along], blocks), along);
    default:
        return Rankine_collapsed(extent);
    }
}

static Rankine_Array make(const char *name, Rankine_Grid grid, int dimensions, int grid_dimensions, const int extents[], MPI_Datatype element)
{
    Rankine_Range ranges[4];
    Rankine_Array array;
    int blocks[4][16], taken[3] = {0};
    for (int d = 0; d < dimensions; d++) {
        int along = below(grid_dimensions + 1) - 1;
        if (along >= 0 && taken[along]++)
            along = -1;
        ranges[d] = draw(grid, along, extents[d], blocks[d]);
    }
    TRY(Rankine_Array_create(name, grid, dimensions, ranges, element, &array));
    return array;
}

/* Calls for every element that this rank owns, with its global index, and its place in the local block. */
static void each(Rankine_Array array, int dimensions, void (*visit)(const int index[], double *element, void *state), void *state)
{
    Rankine_Dimension of[4];
    int at[4] = {0}, index[4];
    long all = 1;
    for (int d = 0; d < dimensions; d++) {
        TRY(Rankine_Array_dimension(array, d, &of[d]));
        all *= of[d].count;
    }
    for (long n = 0; n < all; n++) {
        long rest = n, place = 0;
        for (int d = dimensions - 1; d >= 0; d--) {
            at[d] = (int)(rest % of[d].count) + of[d].below;
            rest /= of[d].count;
            index[d] = Rankine_Array_global(array, d, at[d]);
            CHECK_INT(Rankine_Array_stored(array, d, index[d]), at[d]);
            place += (long)at[d] * of[d].stride;
        }
        visit(index, (double *)Rankine_Array_local(array) + place, state);
    }
}

typedef struct {
    int dimensions;
    int extents[4];
    int dimension, by, kind; /* for what is expected */
} Whole;

static double number(const int index[], const Whole *whole)
{
    double number = 0;
    for (int d = 0; d < whole->dimensions; d++)
        number = number * whole->extents[d] + index[d];
    return number;
}

static void set(const int index[], double *element, void *state)
{
    *element = number(index, state);
}

static void fill(Rankine_Array array, double value)
{
    TRY(Rankine_Array_fill(array, &value));
}

#define REFUSED(call, text) \
    do { \
        FAILS(call, MPI_ERR_ARG); \
        snprintf(expected, sizeof expected, text, rank); \
        CHECK_STR(Rankine_Arrays_error(), expected); \
    } while (0)

#endif
