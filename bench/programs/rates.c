/* Streams of messages: by window, by pairs that send at the same time, from many to one; and what a message takes that is looked for
 * behind others: receives that wait for something else, or messages that nobody has asked for yet. Bytes are those of a message, or
 * how many others there are. */
#include "bench.h"

enum { MOST = 256, LONGEST = 64 << 10 };
static const double AT_LEAST = 4e-3;

static int rank, size;
static char *out, *in;
static MPI_Request requests[MOST];

typedef double Once(int bytes, int window, int rounds);

/* Ranks of the first half send to those of the second, a window at a time; seconds a message of all of them. */
static double stream(int bytes, int window, int rounds) {
    int pairs = size / 2, sends = rank < pairs, peer = sends ? rank + pairs : rank - pairs;
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int i = 0; i < rounds; i++) {
        for (int j = 0; j < window; j++) {
            if (sends) MPI_Isend(out, bytes, MPI_BYTE, peer, 1, MPI_COMM_WORLD, &requests[j]);
            else MPI_Irecv(in, bytes, MPI_BYTE, peer, 1, MPI_COMM_WORLD, &requests[j]);
        }
        MPI_Waitall(window, requests, MPI_STATUSES_IGNORE);
        if (sends) MPI_Recv(NULL, 0, MPI_BYTE, peer, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else MPI_Send(NULL, 0, MPI_BYTE, peer, 2, MPI_COMM_WORLD);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return (MPI_Wtime() - start) / rounds / window / pairs;
}

/* All send to rank 0, which takes what comes; seconds a message. */
static double to_one(int bytes, int window, int rounds) {
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int i = 0; i < rounds; i++) {
        for (int j = 0; rank != 0 && j < window; j++) MPI_Send(out, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
        for (int j = 0; rank == 0 && j < window * (size - 1); j++)
            MPI_Recv(in, bytes, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    return (MPI_Wtime() - start) / rounds / window / (size - 1);
}

static double ping_pong(int bytes, int window, int rounds) {
    (void)window;
    double start = MPI_Wtime();
    for (int i = 0; i < rounds; i++) {
        if (rank == 0) MPI_Send(out, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        MPI_Recv(in, bytes, MPI_BYTE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 1) MPI_Send(out, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    }
    return (MPI_Wtime() - start) / rounds / 2;
}

static double best(Once *once, int bytes, int window) {
    double best = once(bytes, window, 2);
    MPI_Bcast(&best, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    int rounds = (int)(AT_LEAST / best / window) + 2;
    for (int i = 0; i < BENCH_REPEAT; i++) {
        double seconds = once(bytes, window, rounds);
        if (seconds < best) best = seconds;
    }
    return best;
}

static void measure(const char *what, Once *once, int bytes, int window) {
    double seconds = best(once, bytes, window);
    if (rank == 0) bench_print(what, bytes, seconds);
}

/* A short message that is looked for behind so many receives, which match no message until the end. */
static void behind_receives(int others) {
    MPI_Request *waiting = bench_buffer(others * (long)sizeof *waiting);
    for (int i = 0; i < others; i++)
        MPI_Irecv(in, 8, MPI_BYTE, MPI_ANY_SOURCE, i + 10, MPI_COMM_WORLD, &waiting[i]);
    MPI_Barrier(MPI_COMM_WORLD);
    double seconds = best(ping_pong, 8, 1);
    if (rank == 0) bench_print("behind receives", others, seconds);
    for (int i = 0; i < others; i++) MPI_Send(out, 8, MPI_BYTE, 1 - rank, i + 10, MPI_COMM_WORLD);
    MPI_Waitall(others, waiting, MPI_STATUSES_IGNORE);
    free(waiting);
}

/* It behind so many messages that nobody has asked for. */
static void behind_messages(int others) {
    for (int i = 0; i < others; i++) MPI_Send(out, 8, MPI_BYTE, 1 - rank, i + 10, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    double seconds = best(ping_pong, 8, 1);
    if (rank == 0) bench_print("behind messages", others, seconds);
    for (int i = 0; i < others; i++)
        MPI_Recv(in, 8, MPI_BYTE, 1 - rank, i + 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
    static const int windows[] = {1, 4, 16, 64, 256}, sizes[] = {8, 4096, LONGEST};
    char what[32];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    out = bench_buffer(LONGEST), in = bench_buffer(LONGEST);
    for (unsigned s = 0; s < 3; s++) {
        for (unsigned w = 0; size == 2 && w < 5; w++) {
            snprintf(what, sizeof what, "window %d", windows[w]);
            measure(what, stream, sizes[s], windows[w]);
        }
        snprintf(what, sizeof what, "%d pairs", size / 2);
        if (size > 2) measure(what, stream, sizes[s], 64);
        snprintf(what, sizeof what, "%d to one", size - 1);
        measure(what, to_one, sizes[s], 64);
    }
    for (int others = 1; size == 2 && others <= 10000; others *= 10) behind_receives(others), behind_messages(others);
    MPI_Finalize();
    return 0;
}
