/* What OpenMP's constructs cost, as EPCC's microbenchmarks ask: each with next to nothing in it, by 1 and by 2 threads. A
 * sample is a hundred of them, and the best sample counts. With -DALONE it is a program without MPI. */
#ifdef ALONE
#include <stdio.h>
static void bench_print(const char *what, long bytes, double seconds) {
    printf("{\"what\":\"%s\",\"bytes\":%ld,\"seconds\":%.10e}\n", what, bytes, seconds);
}
#else
#include "bench.h"
#endif
#include <omp.h>
#include <time.h>

enum { TIMES = 100, SAMPLES = 100, MOST_THREADS = 2 };

static volatile int touched[MOST_THREADS * 32];
static int counter;

/* OpenMP's own clock counts whole microseconds. */
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

/* Something that no compiler removes, on a cache line of the thread's own. */
static inline void touch(void) { touched[omp_get_thread_num() * 32] += 1; }

static void parallel(int threads) {
    for (int i = 0; i < TIMES; i++) {
#pragma omp parallel num_threads(threads)
        touch();
    }
}

static void parallel_for(int threads) {
    for (int i = 0; i < TIMES; i++) {
#pragma omp parallel for num_threads(threads) schedule(static)
        for (int part = 0; part < threads; part++) touch();
    }
}

static void reduction(int threads) {
    for (int i = 0; i < TIMES; i++) {
        int sum = 0;
#pragma omp parallel num_threads(threads) reduction(+ : sum)
        sum += 1;
        counter += sum;
    }
}

static void loop(int threads) {
#pragma omp parallel num_threads(threads)
    for (int i = 0; i < TIMES; i++) {
#pragma omp for schedule(static)
        for (int part = 0; part < threads; part++) touch();
    }
}

static void dynamic(int threads) {
#pragma omp parallel num_threads(threads)
    for (int i = 0; i < TIMES; i++) {
#pragma omp for schedule(dynamic)
        for (int part = 0; part < threads; part++) touch();
    }
}

static void barrier(int threads) {
#pragma omp parallel num_threads(threads)
    for (int i = 0; i < TIMES; i++) {
        touch();
#pragma omp barrier
    }
}

static void single(int threads) {
#pragma omp parallel num_threads(threads)
    for (int i = 0; i < TIMES; i++) {
#pragma omp single
        touch();
    }
}

static void critical(int threads) {
#pragma omp parallel num_threads(threads)
    for (int i = 0; i < TIMES; i++) {
#pragma omp critical
        counter += 1;
    }
}

static void atomic(int threads) {
#pragma omp parallel num_threads(threads)
    for (int i = 0; i < TIMES; i++) {
#pragma omp atomic
        counter += 1;
    }
}

static void task(int threads) {
#pragma omp parallel num_threads(threads)
    for (int i = 0; i < TIMES; i++) {
#pragma omp task
        touch();
    }
}

static void measure(const char *construct, void (*run)(int)) {
    for (int threads = 1; threads <= MOST_THREADS; threads++) {
        char what[64];
        double best = 1e9;
        run(threads);
        for (int sample = 0; sample < SAMPLES; sample++) {
            double start = now();
            run(threads);
            double seconds = (now() - start) / TIMES;
            if (seconds < best) best = seconds;
        }
        snprintf(what, sizeof what, "%s, %d", construct, threads);
        bench_print(what, threads, best);
    }
}

int main(int argc, char **argv) {
#ifndef ALONE
    MPI_Init(&argc, &argv);
#else
    (void)argc, (void)argv;
#endif
    measure("parallel", parallel);
    measure("parallel for", parallel_for);
    measure("reduction", reduction);
    measure("for", loop);
    measure("for dynamic", dynamic);
    measure("barrier", barrier);
    measure("single", single);
    measure("critical", critical);
    measure("atomic", atomic);
    measure("task", task);
#ifndef ALONE
    MPI_Finalize();
#endif
    return 0;
}
