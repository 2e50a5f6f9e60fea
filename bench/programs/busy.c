/* Rows of a grid that exchange their halos: what a step takes where other programs want the cores too. The argument says how many do,
 * and is what stands in the table for bytes. */
#include "bench.h"

enum { COLUMNS = 1024, ROWS = 32, STEPS = 1000 };

static double grid[2][ROWS + 2][COLUMNS];

static void exchange(double (*now)[COLUMNS], int up, int down) {
    MPI_Request requests[4];
    MPI_Irecv(now[0], COLUMNS, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(now[ROWS + 1], COLUMNS, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(now[1], COLUMNS, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(now[ROWS], COLUMNS, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv) {
    int rank, size;
    char what[32];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int up = rank == 0 ? MPI_PROC_NULL : rank - 1, down = rank == size - 1 ? MPI_PROC_NULL : rank + 1;
    grid[0][1][COLUMNS / 2] = rank + 1;
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int step = 0; step < STEPS; step++) {
        double (*now)[COLUMNS] = grid[step % 2], (*next)[COLUMNS] = grid[(step + 1) % 2];
        exchange(now, up, down);
        for (int i = 1; i <= ROWS; i++)
            for (int j = 1; j < COLUMNS - 1; j++)
                next[i][j] = 0.25 * (now[i - 1][j] + now[i + 1][j] + now[i][j - 1] + now[i][j + 1]);
    }
    double seconds = (MPI_Wtime() - start) / STEPS, slowest;
    MPI_Reduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    snprintf(what, sizeof what, "%d ranks", size);
    if (rank == 0) bench_print(what, argc > 1 ? atol(argv[1]) : 0, slowest);
    MPI_Finalize();
    return 0;
}
