/* Kernels of computation, each alone on one core: what numerical programs spend their time in. With -DALONE it is a
 * program without MPI. */
#ifdef ALONE
#include <stdio.h>
#include <stdlib.h>
#define BENCH_REPEAT 5
static void bench_print(const char *what, long bytes, double seconds) {
    printf("{\"what\":\"%s\",\"bytes\":%ld,\"seconds\":%.10e}\n", what, bytes, seconds);
}
#else
#include "bench.h"
#endif
#include <math.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#define NOINLINE __attribute__((noinline))
enum { MATRIX = 384, GRID = 160, ATOMS = 4096, NEIGHBOURS = 64, ROWS = 20000, ENTRIES = 12, KEYS = 1 << 18, PAIRS = 1 << 17 };

static double a[MATRIX * MATRIX], b[MATRIX * MATRIX], c[MATRIX * MATRIX];
static double grid[GRID * GRID * GRID], next[GRID * GRID * GRID];
static double x[ATOMS], y[ATOMS], z[ATOMS], force[ATOMS];
static int neighbours[ATOMS][NEIGHBOURS];
static double entries[ROWS * ENTRIES], vector[ROWS], product[ROWS];
static int columns[ROWS * ENTRIES];
static uint32_t keys[KEYS], sorted[KEYS];
static uint64_t state = 271828183;
volatile double sink;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

/* The next number between 0 and 1. */
static inline double uniform(void) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) * 0x1p-53;
}

static void fill(void) {
    for (int i = 0; i < MATRIX * MATRIX; i++) a[i] = i % 7, b[i] = i % 5;
    for (int i = 0; i < GRID * GRID * GRID; i++) grid[i] = i % 11;
    for (int i = 0; i < ATOMS; i++) {
        x[i] = uniform(), y[i] = uniform(), z[i] = uniform();
        for (int j = 0; j < NEIGHBOURS; j++) neighbours[i][j] = uniform() * ATOMS;
    }
    for (int i = 0; i < ROWS * ENTRIES; i++) entries[i] = uniform(), columns[i] = uniform() * ROWS;
    for (int i = 0; i < ROWS; i++) vector[i] = uniform();
    for (int i = 0; i < KEYS; i++) keys[i] = uniform() * 0x1p32;
}

NOINLINE static double multiply(void) {
    memset(c, 0, sizeof c);
    for (int ii = 0; ii < MATRIX; ii += 64)
        for (int kk = 0; kk < MATRIX; kk += 64)
            for (int i = ii; i < ii + 64; i++)
                for (int k = kk; k < kk + 64; k++)
                    for (int j = 0; j < MATRIX; j++) c[i * MATRIX + j] += a[i * MATRIX + k] * b[k * MATRIX + j];
    return c[MATRIX];
}

NOINLINE static double stencil(void) {
    for (int i = 1; i < GRID - 1; i++)
        for (int j = 1; j < GRID - 1; j++)
            for (int k = 1; k < GRID - 1; k++) {
                int p = (i * GRID + j) * GRID + k;
                next[p] = 0.4 * grid[p] + 0.1 * (grid[p - 1] + grid[p + 1] + grid[p - GRID] + grid[p + GRID] +
                                                 grid[p - GRID * GRID] + grid[p + GRID * GRID]);
            }
    return next[GRID * GRID * GRID / 2];
}

NOINLINE static double dot(void) {
    double sum = 0;
    for (int i = 0; i < GRID * GRID * GRID; i++) sum += grid[i] * grid[i];
    return sum;
}

/* Atoms and their neighbours, through a list. */
NOINLINE static double atoms(void) {
    double energy = 0;
    for (int i = 0; i < ATOMS; i++)
        for (int j = 0; j < NEIGHBOURS; j++) {
            int k = neighbours[i][j];
            double dx = x[i] - x[k], dy = y[i] - y[k], dz = z[i] - z[k], square = dx * dx + dy * dy + dz * dz;
            if (square < 0.5 && square > 1e-9) {
                double inverse = 1 / square, sixth = inverse * inverse * inverse;
                energy += sixth * (sixth - 1);
                force[i] += sixth * inverse;
            }
        }
    return energy;
}

NOINLINE static double sparse(void) {
    for (int i = 0; i < ROWS; i++) {
        double sum = 0;
        for (int j = 0; j < ENTRIES; j++) sum += entries[i * ENTRIES + j] * vector[columns[i * ENTRIES + j]];
        product[i] = sum;
    }
    return product[1];
}

/* The larger of two, of which nobody knows which that will be. */
NOINLINE static double maximum(void) {
    double sum = 0;
    for (int shift = 0; shift < 64; shift++)
        for (int i = 0; i < ATOMS; i++) {
            double p = x[i], q = y[(i + shift) & (ATOMS - 1)];
            sum += p > q ? p : q;
        }
    return sum;
}

/* Kept between two bounds, written as Fortran's MAX and MIN are. */
NOINLINE static double clamp(void) {
    double sum = 0;
    for (int shift = 0; shift < 64; shift++)
        for (int i = 0; i < ATOMS; i++) {
            double p = x[i] * y[(i + shift) & (ATOMS - 1)], low = p > 0.2 ? p : 0.2;
            sum += low > 0.4 ? 0.4 : low;
        }
    return sum;
}

/* The lesser slope, or none: a choice that is no minimum. */
NOINLINE static double limiter(void) {
    double sum = 0;
    for (int shift = 0; shift < 16; shift++)
        for (int i = 0; i < ATOMS; i++) {
            double p = x[i] - 0.5, q = y[(i + shift) & (ATOMS - 1)] - 0.5;
            sum += p * q <= 0 ? 0 : fabs(p) < fabs(q) ? p : q;
        }
    return sum;
}

/* Pairs of normally distributed numbers, by rejection. */
NOINLINE static double pairs(void) {
    double most = 0, sum = 0;
    for (int i = 0; i < PAIRS; i++) {
        double p = 2 * uniform() - 1, q = 2 * uniform() - 1, square = p * p + q * q;
        if (square <= 1 && square > 0) {
            double factor = sqrt(-2 * log(square) / square), first = fabs(p * factor), second = fabs(q * factor);
            double larger = first > second ? first : second;
            sum += larger;
            most = larger > most ? larger : most;
        }
    }
    return sum + most;
}

/* Keys sorted by their bytes. */
NOINLINE static double sort(void) {
    static uint32_t work[KEYS];
    uint32_t *from = work, *to = sorted;
    memcpy(work, keys, sizeof work);
    for (int shift = 0; shift < 32; shift += 8) {
        int start[257] = {0};
        for (int i = 0; i < KEYS; i++) start[(from[i] >> shift & 255) + 1]++;
        for (int i = 0; i < 256; i++) start[i + 1] += start[i];
        for (int i = 0; i < KEYS; i++) to[start[from[i] >> shift & 255]++] = from[i];
        uint32_t *other = from;
        from = to, to = other;
    }
    return from[KEYS / 2];
}

static void measure(const char *what, double (*kernel)(void)) {
    double best = 1e9;
    for (int r = 0; r < 4 * BENCH_REPEAT; r++) {
        double start = now();
        sink = kernel();
        double seconds = now() - start;
        if (seconds < best) best = seconds;
    }
    bench_print(what, 0, best);
}

int main(int argc, char **argv) {
#ifndef ALONE
    MPI_Init(&argc, &argv);
#else
    (void)argc, (void)argv;
#endif
    fill();
    measure("multiply", multiply);
    measure("stencil", stencil);
    measure("dot", dot);
    measure("atoms", atoms);
    measure("sparse", sparse);
    measure("maximum", maximum);
    measure("clamp", clamp);
    measure("limiter", limiter);
    measure("pairs", pairs);
    measure("sort", sort);
#ifndef ALONE
    MPI_Finalize();
#endif
    return 0;
}
