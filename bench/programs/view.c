/* A field of 1000 x 1000 doubles that is shown at every step: what the steps of a simple method take. */
#include "bench.h"
#include <rankine/view.h>

enum { N = 1000, STEPS = 4000 };

int main(int argc, char **argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int first = N * rank / size, rows = N * (rank + 1) / size - first;
    double *u = calloc((size_t)(rows + 2) * N, sizeof *u), *v = calloc((size_t)(rows + 2) * N, sizeof *v);
    if (u == NULL || v == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int j = 0; j < N; j++)
        u[N + j] = v[N + j] = rank == 0;
    int up = rank > 0 ? rank - 1 : MPI_PROC_NULL, down = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
    int shape[] = {N, N}, start[] = {first, 0}, count[] = {rows, N};
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    for (int step = 0; step < STEPS; step++) {
        Rankine_View_update(MPI_COMM_WORLD);
        MPI_Sendrecv(u + N, N, MPI_DOUBLE, up, 0, u + (rows + 1) * N, N, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Sendrecv(u + rows * N, N, MPI_DOUBLE, down, 0, u, N, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = rank == 0 ? 2 : 1; i <= (rank == size - 1 ? rows - 1 : rows); i++)
            for (int j = 1; j < N - 1; j++)
                v[i * N + j] = 0.25 * (u[(i - 1) * N + j] + u[(i + 1) * N + j] + u[i * N + j - 1] + u[i * N + j + 1]);
        double *next = v;
        v = u;
        u = next;
        Rankine_View_field("u", step, 2, shape, start, count, NULL, MPI_DOUBLE, u + N);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        bench_print("a step", (long)N * N * sizeof(double), (MPI_Wtime() - begin) / STEPS);
    MPI_Finalize();
    return 0;
}
