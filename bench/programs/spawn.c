/* Ranks that one rank starts: the time until all have answered in a barrier, and until they have parted again. `spawn PROGRAM RANKS…`,
 * where PROGRAM is this program and RANKS how many at once, which stands in the table for bytes. The first call of each number
 * does not count. */
#include "bench.h"

static void child(MPI_Comm parent) {
    MPI_Barrier(parent);
    MPI_Comm_disconnect(&parent);
}

static void measure(char *program, int ranks) {
    double best[2] = {1e9, 1e9};
    for (int i = 0; i <= BENCH_REPEAT; i++) {
        MPI_Comm children;
        double start = MPI_Wtime(), seconds[2];
        MPI_Comm_spawn(program, MPI_ARGV_NULL, ranks, MPI_INFO_NULL, 0, MPI_COMM_SELF, &children, MPI_ERRCODES_IGNORE);
        MPI_Barrier(children);
        seconds[0] = MPI_Wtime() - start;
        MPI_Comm_disconnect(&children);
        seconds[1] = MPI_Wtime() - start;
        for (int k = 0; k < 2; k++)
            if (i > 0 && seconds[k] < best[k]) best[k] = seconds[k];
    }
    bench_print("started", ranks, best[0]);
    bench_print("and parted", ranks, best[1]);
}

int main(int argc, char **argv) {
    MPI_Comm parent;
    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL)
        child(parent);
    else
        for (int i = 2; i < argc; i++) measure(argv[1], atoi(argv[i]));
    MPI_Finalize();
    return 0;
}
