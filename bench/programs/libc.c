/* Functions of the C library, each by itself: seconds for a thousand calls. With -DALONE it is a program without MPI. It is
 * compiled with -fno-builtin, so that functions are called. */
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
#include <stdint.h>
#include <string.h>
#include <time.h>

enum { LONG = 4096, BLOCKS = 256, SORTED = 100000, TRIES = 9 };

static volatile double sink;
static volatile float narrow_sink;
static volatile long whole_sink;
static char text[LONG], other[LONG], short_text[] = "a short word";
static double numbers[SORTED], unsorted[SORTED];
static void *blocks[BLOCKS];
static const char *const written[] = {"1.23456789e-3", "3.14159", "-271828.1828459045", "42"};
static const double reals[] = {1.2345, -271828.18284590452, 6.02214076e23, 0.1, 1.6e-19, 1048576, 3.3333333333333335, 99.5};

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

/* The best of some tries, each with so many calls. */
#define MEASURE(name, calls, body)                                  \
    do {                                                            \
        double best = 1e9;                                          \
        for (int try = 0; try < TRIES; try++) {                     \
            double start = now();                                   \
            for (int i = 0; i < (calls); i++) {                     \
                body;                                               \
            }                                                       \
            double passed = now() - start;                          \
            best = passed < best ? passed : best;                   \
        }                                                           \
        bench_print(name, 0, best / (calls) * 1000);                \
    } while (0)

static int compare(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

static void measure_memory(void) {
    MEASURE("malloc", 20000, void *block = malloc(64 + (i & 63)); whole_sink = (long)(intptr_t)block; free(block));
    MEASURE("malloc, 256", 200, {
        for (int k = 0; k < BLOCKS; k++)
            blocks[k] = malloc(16 + (size_t)(k * 37) % 500);
        for (int k = 0; k < BLOCKS; k++)
            free(blocks[(k * 97) & (BLOCKS - 1)]);
    });
    MEASURE("calloc 64 KiB", 500, void *block = calloc(1, 65536); whole_sink = (long)(intptr_t)block; free(block));
    MEASURE("realloc", 1000, {
        char *block = NULL;
        for (size_t size = 16; size <= 16384; size += size / 2)
            block = realloc(block, size);
        whole_sink = (long)(intptr_t)block;
        free(block);
    });
    MEASURE("aligned_alloc", 5000, void *block = aligned_alloc(64, 192); whole_sink = (long)(intptr_t)block; free(block));
    MEASURE("memcpy 16", 20000, memcpy(other, text + (i & 15), 16); whole_sink = other[3]);
    MEASURE("memcpy 4 KiB", 5000, memcpy(other, text, LONG - (size_t)(i & 7)); whole_sink = other[9]);
    MEASURE("memmove 4 KiB", 5000, memmove(text + (i & 1), text, LONG - 8); whole_sink = text[9]);
    MEASURE("memset 4 KiB", 5000, memset(other, i, LONG); whole_sink = other[9]);
}

static void measure_text(void) {
    memset(text, 'x', LONG - 1);
    text[LONG - 1] = 0;
    memcpy(other, text, LONG);
    char *volatile at = text, *volatile copy = other;
    MEASURE("memcmp 4 KiB", 5000, whole_sink = memcmp(at, copy, LONG));
    MEASURE("memchr 4 KiB", 5000, whole_sink = memchr(at, 'y', LONG) != NULL);
    MEASURE("strlen", 20000, whole_sink = (long)strlen(short_text + (i & 3)));
    MEASURE("strlen 4 KiB", 5000, whole_sink = (long)strlen(at));
    MEASURE("strcmp", 20000, whole_sink = strcmp(short_text, at + (i & 3)));
    MEASURE("strcmp 4 KiB", 5000, whole_sink = strcmp(at, copy));
    MEASURE("strchr 4 KiB", 5000, whole_sink = strchr(at, 'y') != NULL);
    MEASURE("strrchr 4 KiB", 5000, whole_sink = strrchr(at, 'y') != NULL);
    MEASURE("strcpy", 20000, strcpy(copy, short_text + (i & 3)); whole_sink = copy[2]);
    MEASURE("strstr 4 KiB", 2000, whole_sink = strstr(at, "xxxy") != NULL);
    MEASURE("strtol", 20000, whole_sink = strtol(&"12345678"[i & 3], NULL, 10));
    MEASURE("strtod", 5000, sink = strtod(written[i & 3], NULL));
    MEASURE("sscanf %lf", 5000, double value; whole_sink = sscanf(written[i & 3], "%lf", &value); sink = value);
    MEASURE("sscanf %d %d", 5000, int one; int two; whole_sink = sscanf("12 3456", "%d %d", &one, &two) + one);
    MEASURE("snprintf %d", 5000, whole_sink = snprintf(copy, 99, "%d", i * 977));
    MEASURE("snprintf %s", 5000, whole_sink = snprintf(copy, 99, "a %s of %s", short_text, "text"));
    MEASURE("snprintf %g", 5000, whole_sink = snprintf(copy, 99, "%g", reals[i & 7]));
    MEASURE("snprintf %.17g", 5000, whole_sink = snprintf(copy, 99, "%.17g", reals[i & 7]));
    MEASURE("snprintf %.6e", 5000, whole_sink = snprintf(copy, 99, "%.6e", reals[i & 7]));
    MEASURE("snprintf %.3f", 5000, whole_sink = snprintf(copy, 99, "%.3f", reals[i & 1]));
}

static void measure_order(void) {
    uint32_t state = 1;
    for (int i = 0; i < SORTED; i++)
        unsorted[i] = state = state * 1664525u + 1013904223u;
    MEASURE("qsort 100,000", 1, memcpy(numbers, unsorted, sizeof numbers); qsort(numbers, SORTED, sizeof *numbers, compare));
    MEASURE("bsearch", 20000, whole_sink = bsearch(&unsorted[i], numbers, SORTED, sizeof *numbers, compare) != NULL);
    MEASURE("rand", 20000, whole_sink = rand());
}

static void measure_mathematics(void) {
    MEASURE("fma", 20000, sink = fma(i, 1.5, i + .1));
    MEASURE("exp", 20000, sink = exp(i * 1e-3));
    MEASURE("log", 20000, sink = log(i + 1.5));
    MEASURE("pow", 20000, sink = pow(1.0001 * i, 1.7));
    MEASURE("sin", 20000, sink = sin(i * .37));
    MEASURE("cos", 20000, sink = cos(i * .37));
    MEASURE("tan", 20000, sink = tan(i * .37));
    MEASURE("atan2", 20000, sink = atan2(i, 3.0));
    MEASURE("tanh", 20000, sink = tanh(i * 1e-4));
    MEASURE("erf", 20000, sink = erf(i * 1e-4));
    MEASURE("cbrt", 20000, sink = cbrt(i * .1));
    MEASURE("fmod", 20000, sink = fmod(i * 1.1, .7));
    MEASURE("expf", 20000, narrow_sink = expf(i * 1e-3f));
    MEASURE("logf", 20000, narrow_sink = logf(i + 1.5f));
    MEASURE("powf", 20000, narrow_sink = powf(i * 1.1f, 1.3f));
    MEASURE("sinf", 20000, narrow_sink = sinf(i * .37f));
}

int main(int argc, char **argv) {
#ifdef ALONE
    (void)argc, (void)argv;
#else
    MPI_Init(&argc, &argv);
#endif
    measure_memory();
    measure_text();
    measure_order();
    measure_mathematics();
#ifndef ALONE
    MPI_Finalize();
#endif
    return 0;
}
