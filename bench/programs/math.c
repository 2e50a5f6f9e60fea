/* Mathematics on one core: products and factorisations of matrices, Fourier transforms. A guest calls the host; with -DALONE it is a
 * native program that calls the libraries which OPENBLAS and FFTW name. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef void *Plan;
typedef double Complex[2];

#ifdef ALONE
#include <dlfcn.h>

#define GEMM(name) void name(const char *, const char *, const int *, const int *, const int *, const double *, const double *, const int *, const double *, const int *, const double *, double *, const int *)
#define GETRF(name) void name(const int *, const int *, double *, const int *, int *, int *)
#define POTRF(name) void name(const char *, const int *, double *, const int *, int *)

static void *function(const char *library, const char *name) {
    const char *file = getenv(library);
    void *opened = dlopen(file ? file : "", RTLD_NOW | RTLD_GLOBAL), *address = opened ? dlsym(opened, name) : NULL;
    if (address == NULL) {
        fprintf(stderr, "%s: %s\n", library, dlerror());
        exit(1);
    }
    return address;
}
static GEMM((*dgemm));
static GETRF((*dgetrf));
static POTRF((*dpotrf));
static Plan (*plan_1d)(int, Complex *, Complex *, int, unsigned), (*plan_3d)(int, int, int, Complex *, Complex *, int, unsigned);
static Plan (*plan_real)(int, const int *, double *, Complex *, unsigned);
static Plan (*plan_many)(int, const int *, int, Complex *, const int *, int, int, Complex *, const int *, int, int, int, unsigned);
static void (*execute)(Plan), (*destroy)(Plan);

static void find(void) {
    /* PyPI's OpenBLAS has a prefix before its names. */
    dgemm = function("OPENBLAS", "scipy_dgemm_");
    dgetrf = function("OPENBLAS", "scipy_dgetrf_");
    dpotrf = function("OPENBLAS", "scipy_dpotrf_");
    plan_1d = function("FFTW", "fftw_plan_dft_1d");
    plan_3d = function("FFTW", "fftw_plan_dft_3d");
    plan_real = function("FFTW", "fftw_plan_dft_r2c");
    plan_many = function("FFTW", "fftw_plan_many_dft");
    execute = function("FFTW", "fftw_execute");
    destroy = function("FFTW", "fftw_destroy_plan");
}
static void bench_print(const char *what, long bytes, double seconds) {
    printf("{\"what\":\"%s\",\"bytes\":%ld,\"seconds\":%.10e}\n", what, bytes, seconds);
}
enum { MEASURE = 0 };
#else
#include "bench.h"
#include <fftw3.h>
/* The host's functions themselves, which say that they have done it: so BLAS and LAPACK need not be built. */
#define HOST(name) __attribute__((import_module("rankine_math"), import_name(#name))) int
HOST(dgemm) dgemm(const char *, const char *, const int *, const int *, const int *, const double *, const double *, const int *, const double *, const int *, const double *, double *, const int *);
HOST(dgetrf) dgetrf(const int *, const int *, double *, const int *, int *, int *);
HOST(dpotrf) dpotrf(const char *, const int *, double *, const int *, int *);
#define plan_1d fftw_plan_dft_1d
#define plan_3d fftw_plan_dft_3d
#define plan_real fftw_plan_dft_r2c
#define plan_many fftw_plan_many_dft
#define execute fftw_execute
#define destroy fftw_destroy_plan
enum { MEASURE = FFTW_MEASURE };
#endif

enum { LARGEST = 1536, NUMBERS = 1 << 21, PIVOTS = LARGEST };

static double *a, *b, *c;
static int pivots[PIVOTS];

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

static void fill(int n) {
    for (int i = 0; i < n * n; i++) a[i] = b[i] = (i * 37 % 101) / 101.0;
    for (int i = 0; i < n; i++) a[i + i * n] += n;
}

static void product(int n) {
    double one = 1, none = 0;
    dgemm("N", "N", &n, &n, &n, &one, b, &n, b, &n, &none, c, &n);
}

static void lu(int n) {
    int info;
    memcpy(c, a, sizeof *c * n * n);
    dgetrf(&n, &n, c, &n, pivots, &info);
}

static void cholesky(int n) {
    int info;
    memcpy(c, a, sizeof *c * n * n);
    dpotrf("L", &n, c, &n, &info);
}

/* Seconds of one call, the best of several repetitions, each of a few hundredths of a second. */
static double best_of(void (*call)(int), int n) {
    double best = INFINITY;
    call(n);
    for (int repeat = 0, calls = 1; repeat < 4;) {
        double start = now();
        for (int i = 0; i < calls; i++) call(n);
        double seconds = now() - start;
        if (seconds < 0.02 && repeat == 0) {
            calls *= 2;
            continue;
        }
        repeat++;
        if (seconds / calls < best) best = seconds / calls;
    }
    return best;
}

static void of_matrices(const char *name, void (*call)(int)) {
    static const int orders[] = {128, 512, LARGEST};
    for (int i = 0; i < 3; i++) {
        char what[40];
        fill(orders[i]);
        snprintf(what, sizeof what, "%s %d", name, orders[i]);
        bench_print(what, orders[i], best_of(call, orders[i]));
    }
}

static Plan plan;

static void transform(int n) {
    (void)n;
    execute(plan);
}

static void of_plan(const char *what, Plan made) {
    plan = made;
    for (int i = 0; i < NUMBERS; i++) a[i] = (i * 37 % 101) / 101.0;
    bench_print(what, 0, best_of(transform, 0));
    destroy(plan);
}

int main(int argc, char **argv) {
#ifdef ALONE
    (void)argc, (void)argv;
    find();
#else
    MPI_Init(&argc, &argv);
#endif
    a = malloc(sizeof *a * 2 * NUMBERS), b = malloc(sizeof *b * 2 * NUMBERS), c = malloc(sizeof *c * 2 * NUMBERS);
    of_matrices("dgemm", product);
    of_matrices("LU", lu);
    of_matrices("Cholesky", cholesky);
    Complex *in = (Complex *)a, *out = (Complex *)b;
    of_plan("fft 1024", plan_1d(1024, in, out, -1, MEASURE));
    of_plan("fft 1000", plan_1d(1000, in, out, -1, MEASURE));
    of_plan("fft 65536", plan_1d(1 << 16, in, out, -1, MEASURE));
    of_plan("fft 1048576", plan_1d(1 << 20, in, out, -1, MEASURE));
    of_plan("fft 4096 x 256", plan_many(1, (int[]){256}, 4096, in, NULL, 1, 256, out, NULL, 1, 256, -1, MEASURE));
    of_plan("fft 64 64 64", plan_3d(64, 64, 64, in, out, -1, MEASURE));
    of_plan("fft 96 96 96", plan_3d(96, 96, 96, in, out, -1, MEASURE));
    of_plan("r2c 65536", plan_real(1, (int[]){1 << 16}, a, out, MEASURE));
    of_plan("r2c 96 96 96", plan_real(3, (int[]){96, 96, 96}, a, out, MEASURE));
#ifndef ALONE
    MPI_Finalize();
#endif
    return 0;
}
