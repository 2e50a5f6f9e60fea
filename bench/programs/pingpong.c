/* Ping-pong between two ranks: half a round trip per message size, and the rate of small messages one way. */
#include "bench.h"

static double ping_pong(int rank, char *out, char *in, int bytes, int rounds) {
    double start = MPI_Wtime();
    for (int i = 0; i < rounds; i++) {
        if (rank == 0) {
            MPI_Send(out, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
            MPI_Recv(in, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(in, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(out, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
        }
    }
    return (MPI_Wtime() - start) / rounds / 2;
}

static double rate(int rank, char *buffer, int bytes, int window, int rounds) {
    MPI_Request requests[256];
    double start = MPI_Wtime();
    for (int i = 0; i < rounds; i++) {
        for (int j = 0; j < window; j++) {
            if (rank == 0) MPI_Isend(buffer, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &requests[j]);
            else MPI_Irecv(buffer, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &requests[j]);
        }
        MPI_Waitall(window, requests, MPI_STATUSES_IGNORE);
        if (rank == 0) MPI_Recv(NULL, 0, MPI_BYTE, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else MPI_Send(NULL, 0, MPI_BYTE, 0, 2, MPI_COMM_WORLD);
    }
    return (MPI_Wtime() - start) / rounds / window;
}

int main(int argc, char **argv) {
    static const int sizes[] = {0, 8, 64, 1024, 16384, 65536, 1 << 20, 4 << 20};
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char *out = bench_buffer(4 << 20), *in = bench_buffer(4 << 20);
    for (unsigned s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        int bytes = sizes[s], rounds = bytes <= 1024 ? 20000 : bytes <= 65536 ? 3000 : 200;
        double best = 1;
        ping_pong(rank, out, in, bytes, rounds / 10);
        for (int i = 0; i < BENCH_REPEAT; i++) {
            double seconds = ping_pong(rank, out, in, bytes, rounds);
            if (seconds < best) best = seconds;
        }
        if (rank == 0) bench_print("pingpong", bytes, best);
    }
    double best = 1;
    for (int i = 0; i < BENCH_REPEAT; i++) {
        double seconds = rate(rank, rank ? in : out, 8, 64, 2000);
        if (seconds < best) best = seconds;
    }
    if (rank == 0) bench_print("rate", 8, best);
    MPI_Finalize();
    return 0;
}
