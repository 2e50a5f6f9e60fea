// What the host needs to factorise is part of what a rank may have of memory: a matrix beside which there is no room is left to the guest.
// ranks: 1 2
// run: --memory-limit 64M
// peak: limits + 96
#include "math.h"

enum { N = 500 };

int main(int argc, char **argv)
{
    int n = N, info = 0;
    hostile_begin(&argc, &argv);
    double *a = malloc(sizeof(double) * N * N);
    int *pivots = malloc(sizeof(int) * N);
    CHECK(a != NULL && pivots != NULL);
    for (int i = 0; i < N * N; i++)
        a[i] = i % N == i / N ? N : 1;
    CHECK_INT(host_dgetrf(&n, &n, a, &n, pivots, &info), 1);
    // The guest has the rest.
    while (__builtin_wasm_memory_grow(0, 1) != (size_t)-1)
        ;
    for (int i = 0; i < 5; i++)
        (void)host_dgetrf(&n, &n, a, &n, pivots, &info);
    return hostile_end();
}
