/* Methods on grids, by hand and over distributed arrays (-DLIBRARY): red-black relaxation of Laplace's equation in two
 * dimensions, explicit diffusion in three, the flow through a nozzle of `examples/08-nozzle`, and the exchange of ghost cells
 * alone. `bytes` is the extent of the grid. With an argument, only the method of this name. */
#include "bench.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#ifdef LIBRARY
#include <rankine/arrays.h>
#endif

enum { RANK = 3 };

/* A block of a grid in 2 or 3 dimensions, with one ghost cell around it. A cell is so many doubles; strides are in cells. */
typedef struct {
    int dimensions, extent[RANK], count[RANK], first[RANK], stride[RANK], doubles;
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
static Field make(int dimensions, const int extent[], int doubles, MPI_Datatype cell) {
    static Rankine_Grid grids[RANK + 1];
    Field field = {.dimensions = dimensions, .doubles = doubles};
    Rankine_Range ranges[RANK];
    if (grids[dimensions] == NULL) Rankine_Grid_create(MPI_COMM_WORLD, dimensions, NULL, &grids[dimensions]);
    for (int d = 0; d < dimensions; d++) ranges[d] = Rankine_ghosts(Rankine_block(extent[d]), 1, 1);
    Rankine_Array_create("field", grids[dimensions], dimensions, ranges, cell, &field.array);
    for (int d = 0; d < dimensions; d++) {
        Rankine_Dimension of;
        Rankine_Array_dimension(field.array, d, &of);
        field.extent[d] = extent[d];
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
static Field make(int dimensions, const int extent[], int doubles, MPI_Datatype cell) {
    Field field = {.dimensions = dimensions, .doubles = doubles};
    int dims[RANK] = {0}, periods[RANK] = {0}, coords[RANK], rank, cells = 1;
    MPI_Dims_create(size, dimensions, dims);
    MPI_Cart_create(MPI_COMM_WORLD, dimensions, dims, periods, 0, &field.comm);
    MPI_Comm_rank(field.comm, &rank);
    MPI_Cart_coords(field.comm, rank, dimensions, coords);
    for (int d = dimensions - 1; d >= 0; d--) {
        int each = extent[d] / dims[d], rest = extent[d] % dims[d];
        field.extent[d] = extent[d];
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
        MPI_Type_create_subarray(dimensions, sizes, parts, starts, MPI_ORDER_C, cell, &field.face[d]);
        MPI_Type_commit(&field.face[d]);
    }
    field.cells = calloc(cells, doubles * sizeof *field.cells);
    return field;
}

static void exchange(Field *field) {
    MPI_Request requests[4 * RANK];
    int n = 0;
    for (int d = 0; d < field->dimensions; d++) {
        int stride = field->stride[d] * field->doubles;
        double *last = field->cells + field->count[d] * stride;
        MPI_Irecv(field->cells, 1, field->face[d], field->neighbour[d][0], 2 * d + 1, field->comm, &requests[n++]);
        MPI_Irecv(last + stride, 1, field->face[d], field->neighbour[d][1], 2 * d, field->comm, &requests[n++]);
        MPI_Isend(field->cells + stride, 1, field->face[d], field->neighbour[d][0], 2 * d, field->comm, &requests[n++]);
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
    *end = field->count[d] + (field->first[d] + field->count[d] == field->extent[d] ? 0 : 1);
}

/* A field of one number a cell. */
static Field square(int dimensions, int extent) {
    return make(dimensions, (int[RANK]){extent, extent, extent}, 1, MPI_DOUBLE);
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
    Field field = square(2, extent);
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
    Field now = square(3, extent), next = square(3, extent);
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

/* Mass, axial and radial momentum, and energy of a volume of gas; and what flows through a face for each. */
enum { QUANTITIES = 4 };
typedef struct {
    double of[QUANTITIES];
} State;

/* The faces between a cell and those before it along the axis and below it, and its area. */
typedef struct {
    double left[2], lower[2], area;
} Shape;

static const double gamma_ = 1.4, length = 10, outside = 0.75;

static double pressure(const State *u) {
    return (gamma_ - 1) * (u->of[3] - 0.5 * (u->of[1] * u->of[1] + u->of[2] * u->of[2]) / u->of[0]);
}

static double sound(const State *u) {
    return sqrt(gamma_ * pressure(u) / u->of[0]);
}

static State from_reservoir(double at) {
    double density = pow(at, 1 / gamma_), head = 1 - at / density;
    double speed = sqrt(2 * gamma_ / (gamma_ - 1) * (head > 0 ? head : 0));
    return (State){{density, density * speed, 0, at / (gamma_ - 1) + 0.5 * density * speed * speed}};
}

static double across(const State *u, const double face[2]) {
    return (u->of[1] * face[0] + u->of[2] * face[1]) / u->of[0];
}

static double fastest(const State *u, const double face[2]) {
    return fabs(across(u, face)) + sound(u) * sqrt(face[0] * face[0] + face[1] * face[1]);
}

static State through(const State *u, const double face[2]) {
    double speed = across(u, face), p = pressure(u);
    return (State){{u->of[0] * speed, u->of[1] * speed + p * face[0], u->of[2] * speed + p * face[1], (u->of[3] + p) * speed}};
}

static State flux(const State *a, const State *b, const double face[2]) {
    double one = fastest(a, face), other = fastest(b, face), most = one > other ? one : other;
    State from = through(a, face), to = through(b, face), flows;
    for (int n = 0; n < QUANTITIES; n++) flows.of[n] = 0.5 * (from.of[n] + to.of[n] - most * (b->of[n] - a->of[n]));
    return flows;
}

static State wall(const State *u, const double face[2]) {
    double p = pressure(u);
    return (State){{0, p * face[0], p * face[1], 0}};
}

static void corner(const Field *field, int i, int j, double at[2]) {
    at[0] = length * i / field->extent[0];
    at[1] = sqrt(1 + 0.03 * (at[0] - 0.5 * length) * (at[0] - 0.5 * length)) * j / field->extent[1];
}

static void face(const double from[2], const double to[2], double made[2]) {
    double radius = 0.5 * (from[1] + to[1]);
    made[0] = (to[1] - from[1]) * radius;
    made[1] = (from[0] - to[0]) * radius;
}

/* Of all cells of the block, ghost cells included. */
static Shape *shapes(const Field *field) {
    int rows = field->count[0] + 2, columns = field->count[1] + 2;
    Shape *all = calloc(rows * columns, sizeof *all);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) {
            int row = field->first[0] + i - 1, column = field->first[1] + j - 1;
            double a[2], b[2], c[2], d[2];
            corner(field, row, column, a);
            corner(field, row + 1, column, b);
            corner(field, row, column + 1, c);
            corner(field, row + 1, column + 1, d);
            Shape *shape = &all[i * columns + j];
            face(a, c, shape->left);
            face(b, a, shape->lower);
            shape->area = 0.5 * (b[0] - a[0]) * (c[1] - a[1] + d[1] - b[1]);
        }
    return all;
}

/* Fills the cells beyond the ends: gas from the reservoir, and the pressure outside if it can be felt. */
static void ends(const Field *field) {
    State *cells = (State *)field->cells;
    int width = field->stride[0], last = field->count[0];
    if (field->first[0] == 0)
        for (int j = 1; j <= field->count[1]; j++) {
            double p = pressure(&cells[width + j]);
            cells[j] = from_reservoir(p < 1 ? p : 1);
        }
    if (field->first[0] + last == field->extent[0])
        for (int j = 1; j <= field->count[1]; j++) {
            State end = cells[last * width + j];
            if (end.of[1] / end.of[0] < sound(&end))
                end.of[3] = outside / (gamma_ - 1) + 0.5 * (end.of[1] * end.of[1] + end.of[2] * end.of[2]) / end.of[0];
            cells[(last + 1) * width + j] = end;
        }
}

static State advanced(const State *u, const Shape *shape, int width, int is_at_axis, int is_at_wall) {
    const double *left = shape->left, *right = shape[width].left, *lower = shape->lower, *upper = shape[1].lower;
    State before = flux(u - width, u, left), behind = flux(u, u + width, right), next;
    State below = is_at_axis ? wall(u, lower) : flux(u - 1, u, lower), above = is_at_wall ? wall(u, upper) : flux(u, u + 1, upper);
    double step = 0.8 / (fastest(u, left) + fastest(u, right) + fastest(u, lower) + fastest(u, upper));
    for (int n = 0; n < QUANTITIES; n++) next.of[n] = u->of[n] + step * (before.of[n] - behind.of[n] + below.of[n] - above.of[n]);
    next.of[2] += step * pressure(u) * shape->area;
    return next;
}

static void flow(const Field *now, Field *next, const Shape *shape) {
    int width = now->stride[0], wall_at = now->extent[1] - now->first[1];
    for (int i = 1; i <= now->count[0]; i++)
        for (int j = 1; j <= now->count[1]; j++) {
            int at = i * width + j;
            ((State *)next->cells)[at] = advanced((const State *)now->cells + at, shape + at, width, now->first[1] + j == 1, j == wall_at);
        }
}

/* Along the axis there are eight times as many cells as across. */
static double nozzle(int extent, int steps) {
    static MPI_Datatype state;
    if (state == 0) {
        MPI_Type_contiguous(QUANTITIES, MPI_DOUBLE, &state);
        MPI_Type_commit(&state);
    }
    int extents[RANK] = {extent, extent / 8};
    Field now = make(2, extents, QUANTITIES, state), next = make(2, extents, QUANTITIES, state);
    Shape *shape = shapes(&now);
    for (int k = 0; k < (now.count[0] + 2) * now.stride[0]; k++) ((State *)now.cells)[k] = from_reservoir(0.9);
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int step = 0; step < steps; step++) {
        exchange(&now);
        ends(&now);
        flow(&now, &next, shape);
        Field swap = now;
        now = next;
        next = swap;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    double seconds = (MPI_Wtime() - start) / steps;
    free(shape);
    release(&now);
    release(&next);
    return seconds;
}

static double halo(int extent, int steps) {
    Field field = square(2, extent);
    exchange(&field);
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int step = 0; step < steps; step++) exchange(&field);
    MPI_Barrier(MPI_COMM_WORLD);
    double seconds = (MPI_Wtime() - start) / steps;
    release(&field);
    return seconds;
}

static void measure(const char *what, double (*method)(int, int), int extent, int steps, const char *wanted) {
    double best = 1e9;
    int rank;
    if (wanted != NULL && strcmp(wanted, what) != 0) return;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int repeat = 0; repeat < BENCH_REPEAT; repeat++) {
        double seconds = method(extent, steps);
        if (seconds < best) best = seconds;
    }
    char name[40];
    snprintf(name, sizeof name, "%s on %d", what, size);
    if (rank == 0) bench_print(name, extent, best);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const char *wanted = argc > 1 ? argv[1] : NULL;
    measure("laplace", laplace, 512, 100, wanted);
    measure("laplace", laplace, 1024, 25, wanted);
    measure("diffusion", diffusion, 96, 25, wanted);
    measure("nozzle", nozzle, 256, 50, wanted);
    measure("halo", halo, 32, 300, wanted);
    MPI_Finalize();
    return 0;
}
