/* Methods on grids, by hand and over distributed arrays (-DLIBRARY): red-black relaxation of Laplace's equation in two
 * dimensions, explicit diffusion in three, and the exchange of ghost cells alone. `bytes` is the extent of the grid. */
#include "bench.h"
#include <stdlib.h>
#include <string.h>
#ifdef LIBRARY
#include <rankine/arrays.h>
#endif

enum { RANK = 3 };

/* A block of a grid of n cells in each direction, with one ghost cell around it, in 2 or 3 dimensions. */
typedef struct {
    int dimensions, extent, count[RANK], first[RANK], stride[RANK];
    double *cells;
#ifdef LIBRARY
    Rankine_Array array;
#else
    int neighbour[RANK][2];
    MPI_Datatype face[RANK];
    MPI_Comm comm;
#endif
} Field;

static int size;

#ifdef LIBRARY
static Field make(int dimensions, int extent) {
    static Rankine_Grid grids[RANK + 1];
    Field field = {.dimensions = dimensions, .extent = extent};
    Rankine_Range ranges[RANK];
    if (grids[dimensions] == NULL) Rankine_Grid_create(MPI_COMM_WORLD, dimensions, NULL, &grids[dimensions]);
    for (int d = 0; d < dimensions; d++) ranges[d] = Rankine_ghosts(Rankine_block(extent), 1, 1);
    Rankine_Array_create("field", grids[dimensions], dimensions, ranges, MPI_DOUBLE, &field.array);
    for (int d = 0; d < dimensions; d++) {
        Rankine_Dimension of;
        Rankine_Array_dimension(field.array, d, &of);
        field.count[d] = of.count;
        field.first[d] = of.first;
        field.stride[d] = of.stride;
    }
    field.cells = Rankine_Array_local(field.array);
    return field;
}

static void exchange(Field *field) {
    Rankine_Write_halo(field->array);
}

static void release(Field *field) {
    Rankine_Array_free(&field->array);
}
#else
static Field make(int dimensions, int extent) {
    Field field = {.dimensions = dimensions, .extent = extent};
    int dims[RANK] = {0}, periods[RANK] = {0}, coords[RANK], rank, cells = 1;
    MPI_Dims_create(size, dimensions, dims);
    MPI_Cart_create(MPI_COMM_WORLD, dimensions, dims, periods, 0, &field.comm);
    MPI_Comm_rank(field.comm, &rank);
    MPI_Cart_coords(field.comm, rank, dimensions, coords);
    for (int d = dimensions - 1; d >= 0; d--) {
        int each = extent / dims[d], rest = extent % dims[d];
        field.count[d] = each + (coords[d] < rest);
        field.first[d] = coords[d] * each + (coords[d] < rest ? coords[d] : rest);
        field.stride[d] = cells;
        cells *= field.count[d] + 2;
        MPI_Cart_shift(field.comm, d, 1, &field.neighbour[d][0], &field.neighbour[d][1]);
    }
    for (int d = 0; d < dimensions; d++) {
        int sizes[RANK], parts[RANK], starts[RANK];
        for (int other = 0; other < dimensions; other++) {
            sizes[other] = field.count[other] + 2;
            parts[other] = other == d ? 1 : field.count[other];
            starts[other] = other == d ? 0 : 1;
        }
        MPI_Type_create_subarray(dimensions, sizes, parts, starts, MPI_ORDER_C, MPI_DOUBLE, &field.face[d]);
        MPI_Type_commit(&field.face[d]);
    }
    field.cells = calloc(cells, sizeof *field.cells);
    return field;
}

static void exchange(Field *field) {
    MPI_Request requests[4 * RANK];
    int n = 0;
    for (int d = 0; d < field->dimensions; d++) {
        double *last = field->cells + field->count[d] * field->stride[d];
        MPI_Irecv(field->cells, 1, field->face[d], field->neighbour[d][0], 2 * d + 1, field->comm, &requests[n++]);
        MPI_Irecv(last + field->stride[d], 1, field->face[d], field->neighbour[d][1], 2 * d, field->comm, &requests[n++]);
        MPI_Isend(field->cells + field->stride[d], 1, field->face[d], field->neighbour[d][0], 2 * d, field->comm, &requests[n++]);
        MPI_Isend(last, 1, field->face[d], field->neighbour[d][1], 2 * d + 1, field->comm, &requests[n++]);
    }
    MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
}

static void release(Field *field) {
    for (int d = 0; d < field->dimensions; d++) MPI_Type_free(&field->face[d]);
    MPI_Comm_free(&field->comm);
    free(field->cells);
}
#endif

/* The local places of a dimension that are not at the edge of the grid: from 1 on lie cells of this block. */
static void inner(const Field *field, int d, int *begin, int *end) {
    *begin = field->first[d] == 0 ? 2 : 1;
    *end = field->count[d] + (field->first[d] + field->count[d] == field->extent ? 0 : 1);
}

static void relax(Field *field, int colour) {
    int top, bottom, left, right, width = field->stride[0];
    inner(field, 0, &top, &bottom);
    inner(field, 1, &left, &right);
    for (int i = top; i < bottom; i++) {
        double *restrict row = field->cells + i * width;
        const double *above = row - width, *below = row + width;
        for (int j = left + (field->first[0] + i + field->first[1] + left + colour) % 2; j < right; j += 2)
            row[j] += 1.5 * (0.25 * (above[j] + below[j] + row[j - 1] + row[j + 1]) - row[j]);
    }
}

static double laplace(int extent, int steps) {
    Field field = make(2, extent);
    if (field.first[0] == 0)
        for (int j = 1; j <= field.count[1]; j++) field.cells[field.stride[0] + j] = 1;
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int step = 0; step < steps; step++)
        for (int colour = 0; colour < 2; colour++) {
            exchange(&field);
            relax(&field, colour);
        }
    MPI_Barrier(MPI_COMM_WORLD);
    double seconds = (MPI_Wtime() - start) / steps;
    release(&field);
    return seconds;
}

static void diffuse(const Field *now, Field *next) {
    int begin[RANK], end[RANK], plane = now->stride[0], line = now->stride[1];
    for (int d = 0; d < RANK; d++) inner(now, d, &begin[d], &end[d]);
    for (int i = begin[0]; i < end[0]; i++)
        for (int j = begin[1]; j < end[1]; j++) {
            const double *restrict from = now->cells + i * plane + j * line;
            double *restrict to = next->cells + i * plane + j * line;
            for (int k = begin[2]; k < end[2]; k++)
                to[k] = from[k] + 0.1 * (from[k - plane] + from[k + plane] + from[k - line] + from[k + line] + from[k - 1] + from[k + 1] - 6 * from[k]);
        }
}

static double diffusion(int extent, int steps) {
    Field now = make(3, extent), next = make(3, extent);
    for (int k = 0; k < now.count[0] * now.stride[0]; k++) now.cells[now.stride[0] + k] = k % 17;
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int step = 0; step < steps; step++) {
        exchange(&now);
        diffuse(&now, &next);
        Field swap = now;
        now = next;
        next = swap;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    double seconds = (MPI_Wtime() - start) / steps;
    release(&now);
    release(&next);
    return seconds;
}

static double halo(int extent, int steps) {
    Field field = make(2, extent);
    exchange(&field);
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int step = 0; step < steps; step++) exchange(&field);
    MPI_Barrier(MPI_COMM_WORLD);
    double seconds = (MPI_Wtime() - start) / steps;
    release(&field);
    return seconds;
}

static void measure(const char *what, double (*method)(int, int), int extent, int steps, int rank) {
    double best = 1e9;
    for (int repeat = 0; repeat < BENCH_REPEAT; repeat++) {
        double seconds = method(extent, steps);
        if (seconds < best) best = seconds;
    }
    char name[40];
    snprintf(name, sizeof name, "%s on %d", what, size);
    if (rank == 0) bench_print(name, extent, best);
}

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    measure("laplace", laplace, 512, 100, rank);
    measure("laplace", laplace, 1024, 25, rank);
    measure("diffusion", diffusion, 96, 25, rank);
    measure("halo", halo, 32, 300, rank);
    MPI_Finalize();
    return 0;
}
