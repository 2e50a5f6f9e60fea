/* Two nodes of as many ranks each as the first argument says: messages inside a node and between two, many at once, a halo around all
 * ranks, and what all do together. */
#include "bench.h"

static int rank, size, each, rounds;
static char *out, *in;

/* Half a round trip between rank 0 and another, while the rest wait. */
static double ping_pong(int other, int bytes) {
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int i = 0; i < rounds; i++) {
        if (rank == 0) {
            MPI_Send(out, bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD);
            MPI_Recv(in, bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else if (rank == other) {
            MPI_Recv(in, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(out, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
        }
    }
    double seconds = (MPI_Wtime() - start) / rounds / 2;
    MPI_Barrier(MPI_COMM_WORLD);
    return seconds;
}

/* Seconds a message, while every rank of the first node sends to one of the second. */
static double rate(int other, int bytes) {
    enum { WINDOW = 64 };
    MPI_Request requests[WINDOW];
    int is_first = rank < each, windows = rounds / 8 + 1;
    int peer = is_first ? rank + each : rank - each;
    (void)other;
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int i = 0; i < windows; i++) {
        for (int j = 0; j < WINDOW; j++) {
            if (is_first) MPI_Isend(out, bytes, MPI_BYTE, peer, 1, MPI_COMM_WORLD, &requests[j]);
            else MPI_Irecv(in, bytes, MPI_BYTE, peer, 1, MPI_COMM_WORLD, &requests[j]);
        }
        MPI_Waitall(WINDOW, requests, MPI_STATUSES_IGNORE);
        if (is_first) MPI_Recv(NULL, 0, MPI_BYTE, peer, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else MPI_Send(NULL, 0, MPI_BYTE, peer, 2, MPI_COMM_WORLD);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return (MPI_Wtime() - start) / windows / WINDOW / each;
}

static double halo(int other, int bytes) {
    int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    (void)other;
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int i = 0; i < rounds; i++) {
        MPI_Sendrecv(out, bytes, MPI_BYTE, next, 3, in, bytes, MPI_BYTE, previous, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Sendrecv(out, bytes, MPI_BYTE, previous, 4, in, bytes, MPI_BYTE, next, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    return (MPI_Wtime() - start) / rounds;
}

static double barrier(int other, int bytes) {
    (void)other;
    (void)bytes;
    double start = MPI_Wtime();
    for (int i = 0; i < rounds; i++) MPI_Barrier(MPI_COMM_WORLD);
    return (MPI_Wtime() - start) / rounds;
}

static double allreduce(int other, int bytes) {
    (void)other;
    double start = MPI_Wtime();
    for (int i = 0; i < rounds; i++)
        MPI_Allreduce(out, in, bytes / sizeof(double), MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return (MPI_Wtime() - start) / rounds;
}

/* Blocks of so many bytes: to rank 0, from it, from everybody to everybody. */
static double gather(int other, int bytes) {
    (void)other;
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int i = 0; i < rounds; i++) MPI_Gather(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    return (MPI_Wtime() - start) / rounds;
}

static double scatter(int other, int bytes) {
    (void)other;
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int i = 0; i < rounds; i++) MPI_Scatter(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    return (MPI_Wtime() - start) / rounds;
}

static double alltoall(int other, int bytes) {
    (void)other;
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int i = 0; i < rounds; i++) MPI_Alltoall(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, MPI_COMM_WORLD);
    return (MPI_Wtime() - start) / rounds;
}

static double scan(int other, int bytes) {
    (void)other;
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int i = 0; i < rounds; i++)
        MPI_Scan(out, in, bytes / sizeof(long long), MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    return (MPI_Wtime() - start) / rounds;
}

static void measure(const char *what, double (*run)(int, int), int other, int bytes) {
    char name[64];
    double best = 1e9;
    snprintf(name, sizeof name, "2 x %d: %s", each, what);
    for (int i = 0; i < BENCH_REPEAT; i++) {
        double seconds = run(other, bytes);
        if (seconds < best) best = seconds;
    }
    if (rank == 0) bench_print(name, bytes, best);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    each = size / 2;
    rounds = argc > 1 ? atoi(argv[1]) : 1000;
    long room = (64 << 10) < 1024L * size ? 1024L * size : 64 << 10;
    out = bench_buffer(room);
    in = bench_buffer(room);
    for (long i = 0; i < (64 << 10) / (long)sizeof(double); i++) ((double *)out)[i] = i;
    for (int bytes = 8; each > 1 && bytes <= 64 << 10; bytes *= 8192) measure("inside a node", ping_pong, 1, bytes);
    for (int bytes = 8; bytes <= 64 << 10; bytes *= 8192) measure("between nodes", ping_pong, each, bytes);
    measure("messages at once", rate, 0, 8);
    measure("halo", halo, 0, 8 << 10);
    measure("barrier", barrier, 0, 0);
    measure("allreduce", allreduce, 0, 8);
    measure("allreduce", allreduce, 0, 64 << 10);
    for (int bytes = 8; bytes <= 1024; bytes *= 128) {
        measure("gather", gather, 0, bytes);
        measure("scatter", scatter, 0, bytes);
        measure("alltoall", alltoall, 0, bytes);
    }
    measure("scan", scan, 0, 8);
    MPI_Finalize();
    return 0;
}
