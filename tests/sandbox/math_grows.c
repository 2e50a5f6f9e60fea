// Threads of a rank compute in the host on matrices at the end of memory, while another one has it grow, and MPI is busy.
// ranks: 1 2
// engines: local
// cc: -pthread
#include "math.h"
#include <pthread.h>

enum { N = 128, ROUNDS = 60, BLOCK = 3 * N * N * sizeof(double) };

static void *compute(void *argument)
{
    for (int i = 0; i < ROUNDS; i++) {
        double *a = (double *)(__builtin_wasm_memory_grow(0, BLOCK / 65536 + 1) << 16), *b = a + N * N, *c = b + N * N;
        for (int j = 0; j < N * N; j++) {
            a[j] = j % N == j / N ? 2 : 0;
            b[j] = i + j % N * N + j / N;
        }
        CHECK_INT(product(N, a, N, b, N, c, N), 1);
        // Twice the transposed.
        for (int j = 0; j < N * N; j++)
            CHECK(c[j] == 2 * (i + j));
    }
    return argument;
}

static void *grow(void *argument)
{
    for (int i = 0; i < 600; i++)
        CHECK(__builtin_wasm_memory_grow(0, 1) != (size_t)-1);
    return argument;
}

int main(int argc, char **argv)
{
    pthread_t threads[3];
    check_begin_threads(&argc, &argv, MPI_THREAD_FUNNELED);
    set_canaries();
    for (int i = 0; i < 3; i++)
        CHECK_INT(pthread_create(&threads[i], NULL, i ? compute : grow, NULL), 0);
    for (int i = 0; i < 200; i++) {
        int sum = 1;
        TRY(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
        CHECK_INT(sum, size);
    }
    for (int i = 0; i < 3; i++)
        CHECK_INT(pthread_join(threads[i], NULL), 0);
    still_fine();
    return check_end();
}
