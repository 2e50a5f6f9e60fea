/* Loops of whole programs shared by the threads of a rank, by 1 and by 2 threads: an iteration of conjugate gradients on a
 * 27-point matrix (as in HPCG and miniFE) and a step over the elements of a mesh (as in LULESH). Each checks its result. With
 * -DALONE it is a program without MPI. */
#ifdef ALONE
#include <stdio.h>
#include <stdlib.h>
static void bench_print(const char *what, long bytes, double seconds) {
    printf("{\"what\":\"%s\",\"bytes\":%ld,\"seconds\":%.10e}\n", what, bytes, seconds);
}
#else
#include "bench.h"
#endif
#include <math.h>
#include <omp.h>

enum { EDGE = 24, ROWS = EDGE * EDGE * EDGE, MOST = 27, ITERATIONS = 10, SAMPLES = 100 };
enum { NODES = 33, CELLS = NODES - 1, POINTS = NODES * NODES * NODES, ELEMENTS = CELLS * CELLS * CELLS };

static int entries[ROWS], columns[ROWS][MOST];
static double values[ROWS][MOST], right[ROWS], x[ROWS], residual[ROWS], direction[ROWS], image[ROWS];
static double place[3][POINTS], force[3][POINTS], corner[3][ELEMENTS][8], volume[ELEMENTS], energy[ELEMENTS];

static void fail(const char *what, double got) {
    fprintf(stderr, "%s: %g is wrong\n", what, got);
    exit(1);
}

/* 26 on the diagonal and -1 for each neighbour: x = 1 solves it. */
static void build(void) {
    for (int row = 0; row < ROWS; row++) {
        const int i = row / (EDGE * EDGE), j = row / EDGE % EDGE, k = row % EDGE;
        double sum = 0;
        for (int a = i - 1; a <= i + 1; a++)
            for (int b = j - 1; b <= j + 1; b++)
                for (int c = k - 1; c <= k + 1; c++) {
                    if (a < 0 || a >= EDGE || b < 0 || b >= EDGE || c < 0 || c >= EDGE) continue;
                    const int column = (a * EDGE + b) * EDGE + c, entry = entries[row]++;
                    columns[row][entry] = column;
                    values[row][entry] = column == row ? 26 : -1;
                    sum += values[row][entry];
                }
        right[row] = sum;
    }
}

static double dot(const double *a, const double *b) {
    double sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < ROWS; i++) sum += a[i] * b[i];
    return sum;
}

/* a = b + factor * c. */
static void add(double *a, const double *b, double factor, const double *c) {
#pragma omp parallel for
    for (int i = 0; i < ROWS; i++) a[i] = b[i] + factor * c[i];
}

static void multiply(double *restrict to, const double *restrict from) {
#pragma omp parallel for
    for (int row = 0; row < ROWS; row++) {
        double sum = 0;
        for (int entry = 0; entry < entries[row]; entry++) sum += values[row][entry] * from[columns[row][entry]];
        to[row] = sum;
    }
}

static double gradients(void) {
#pragma omp parallel for
    for (int i = 0; i < ROWS; i++) x[i] = 0, residual[i] = direction[i] = right[i];
    double square = dot(residual, residual);
    for (int iteration = 0; iteration < ITERATIONS; iteration++) {
        multiply(image, direction);
        const double step = square / dot(direction, image), before = square;
        add(x, x, step, direction);
        add(residual, residual, -step, image);
        square = dot(residual, residual);
        add(direction, residual, square / before, direction);
    }
    return sqrt(square / dot(right, right));
}

/* The volume of each element from its eight corners, a pressure on its faces, and the sum of the corners' forces at each node. */
static double elements(void) {
    double total = 0;
#pragma omp parallel for reduction(+ : total)
    for (int e = 0; e < ELEMENTS; e++) {
        const int i = e / (CELLS * CELLS), j = e / CELLS % CELLS, k = e % CELLS;
        double at[3][8], edge[3][3];
        for (int c = 0; c < 8; c++)
            for (int d = 0; d < 3; d++) at[d][c] = place[d][((i + (c >> 2)) * NODES + j + (c >> 1 & 1)) * NODES + k + (c & 1)];
        for (int d = 0; d < 3; d++) {
            edge[0][d] = 0.25 * (at[d][4] + at[d][5] + at[d][6] + at[d][7] - at[d][0] - at[d][1] - at[d][2] - at[d][3]);
            edge[1][d] = 0.25 * (at[d][2] + at[d][3] + at[d][6] + at[d][7] - at[d][0] - at[d][1] - at[d][4] - at[d][5]);
            edge[2][d] = 0.25 * (at[d][1] + at[d][3] + at[d][5] + at[d][7] - at[d][0] - at[d][2] - at[d][4] - at[d][6]);
        }
        double normal[3][3];
        for (int n = 0; n < 3; n++) {
            const double *p = edge[(n + 1) % 3], *q = edge[(n + 2) % 3];
            for (int d = 0; d < 3; d++) normal[n][d] = p[(d + 1) % 3] * q[(d + 2) % 3] - p[(d + 2) % 3] * q[(d + 1) % 3];
        }
        volume[e] = edge[0][0] * normal[0][0] + edge[0][1] * normal[0][1] + edge[0][2] * normal[0][2];
        const double pressure = 2.0 / 3 * energy[e] / volume[e];
        for (int c = 0; c < 8; c++)
            for (int d = 0; d < 3; d++)
                corner[d][e][c] = 0.25 * pressure *
                                  ((c >> 2 ? 1 : -1) * normal[0][d] + (c >> 1 & 1 ? 1 : -1) * normal[1][d] +
                                   (c & 1 ? 1 : -1) * normal[2][d]);
        total += volume[e];
    }
#pragma omp parallel for
    for (int p = 0; p < POINTS; p++) {
        const int i = p / (NODES * NODES), j = p / NODES % NODES, k = p % NODES;
        double sum[3] = {0, 0, 0};
        for (int c = 0; c < 8; c++) {
            const int a = i - (c >> 2), b = j - (c >> 1 & 1), f = k - (c & 1);
            if (a < 0 || a >= CELLS || b < 0 || b >= CELLS || f < 0 || f >= CELLS) continue;
            for (int d = 0; d < 3; d++) sum[d] += corner[d][(a * CELLS + b) * CELLS + f][c];
        }
        for (int d = 0; d < 3; d++) force[d][p] = sum[d];
    }
    return total;
}

static void mesh(void) {
    for (int p = 0; p < POINTS; p++) {
        place[0][p] = p / (NODES * NODES), place[1][p] = p / NODES % NODES, place[2][p] = p % NODES;
    }
    for (int e = 0; e < ELEMENTS; e++) energy[e] = 1.5;
}

/* One pressure everywhere: cubes of volume 1, and no force on a node inside. */
static void check_mesh(double total) {
    const int inside = (NODES / 2 * NODES + NODES / 2) * NODES + NODES / 2;
    if (fabs(total - ELEMENTS) > 1e-6) fail("the volume of the mesh", total);
    for (int d = 0; d < 3; d++)
        if (fabs(force[d][inside]) > 1e-12) fail("the force on a node inside", force[d][inside]);
    if (fabs(force[0][0] + 0.25) > 1e-12) fail("the force on a corner", force[0][0]);
}

static double best(double (*run)(void), double *result) {
    double best = 1e9;
    *result = run();
    for (int sample = 0; sample < SAMPLES; sample++) {
        const double start = omp_get_wtime();
        *result = run();
        const double seconds = omp_get_wtime() - start;
        if (seconds < best) best = seconds;
    }
    return best;
}

int main(int argc, char **argv) {
#ifndef ALONE
    MPI_Init(&argc, &argv);
#else
    (void)argc, (void)argv;
#endif
    build();
    mesh();
    for (int threads = 1; threads <= 2; threads++) {
        char what[64];
        double seconds, result;
        omp_set_num_threads(threads);
        seconds = best(gradients, &result);
        if (fabs(result - 0.0758357) > 1e-6) fail("what conjugate gradients left", result);
        snprintf(what, sizeof what, "gradients, %d", threads);
        bench_print(what, threads, seconds / ITERATIONS);
        seconds = best(elements, &result);
        check_mesh(result);
        snprintf(what, sizeof what, "elements, %d", threads);
        bench_print(what, threads, seconds);
    }
#ifndef ALONE
    MPI_Finalize();
#endif
    return 0;
}
