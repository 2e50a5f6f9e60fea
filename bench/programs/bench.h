/* What every benchmark program shares: a measurement is one line of JSON on the standard output of rank 0. */
#ifndef RANKINE_BENCH_H
#define RANKINE_BENCH_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

/* Smallest of several repetitions: what the machine can do when nobody disturbs it. */
#define BENCH_REPEAT 5

static inline void bench_print(const char *what, long bytes, double seconds) {
    printf("{\"what\":\"%s\",\"bytes\":%ld,\"seconds\":%.10e}\n", what, bytes, seconds);
    fflush(stdout);
}

static inline void *bench_buffer(long bytes) {
    char *buffer = aligned_alloc(4096, (bytes + 4096) / 4096 * 4096);
    if (buffer == NULL) {
        fprintf(stderr, "no memory for a buffer of %ld bytes\n", bytes);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    for (long i = 0; i < bytes; i++) buffer[i] = (char)i;
    return buffer;
}

#endif
