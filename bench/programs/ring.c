/* A token runs round a ring of all ranks, and all ranks meet in a barrier: what a hop and a meeting cost with many
 * ranks. */
#include "bench.h"

int main(int argc, char **argv) {
    int rank, size, token = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int rounds = argc > 1 ? atoi(argv[1]) : 1000;
    int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    double hop = 1, meeting = 1;
    for (int r = 0; r < BENCH_REPEAT; r++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double start = MPI_Wtime();
        for (int i = 0; i < rounds; i++) {
            if (rank == 0) MPI_Send(&token, 1, MPI_INT, next, 0, MPI_COMM_WORLD);
            MPI_Recv(&token, 1, MPI_INT, previous, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (rank != 0) MPI_Send(&token, 1, MPI_INT, next, 0, MPI_COMM_WORLD);
        }
        double seconds = (MPI_Wtime() - start) / rounds / size;
        if (seconds < hop) hop = seconds;
        start = MPI_Wtime();
        for (int i = 0; i < rounds; i++) MPI_Barrier(MPI_COMM_WORLD);
        seconds = (MPI_Wtime() - start) / rounds;
        if (seconds < meeting) meeting = seconds;
    }
    if (rank == 0) {
        bench_print("hop", sizeof token, hop);
        bench_print("barrier", 0, meeting);
    }
    MPI_Finalize();
    return 0;
}
