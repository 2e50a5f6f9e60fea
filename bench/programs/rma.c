/* One-sided operations of rank 0 on rank 1's part of a window, each complete at its target: MPI_Put, MPI_Get, a sum of doubles, and one
 * that gives what was there, by length; an atomic addition and an exchange; a lock with its release. Rank 1 waits for a message
 * meanwhile. A send, half a round trip, stands beside a put. */
#include "bench.h"

enum { LONGEST = 4 << 20 };

static MPI_Win win;
static char *local, *result;

static void put(int bytes) { MPI_Put(local, bytes, MPI_BYTE, 1, 0, bytes, MPI_BYTE, win); }
static void get(int bytes) { MPI_Get(local, bytes, MPI_BYTE, 1, 0, bytes, MPI_BYTE, win); }

static void accumulate(int bytes) {
    MPI_Accumulate(local, bytes / 8, MPI_DOUBLE, 1, 0, bytes / 8, MPI_DOUBLE, MPI_SUM, win);
}

static void fetch_add(int bytes) {
    (void)bytes;
    MPI_Fetch_and_op(local, local + 64, MPI_INT64_T, 1, 0, MPI_SUM, win);
}

static void get_accumulate(int bytes) {
    MPI_Get_accumulate(local, bytes / 8, MPI_DOUBLE, result, bytes / 8, MPI_DOUBLE, 1, 0, bytes / 8, MPI_DOUBLE, MPI_SUM, win);
}

static void compare_and_swap(int bytes) {
    (void)bytes;
    MPI_Compare_and_swap(local, local + 64, result, MPI_INT64_T, 1, 0, win);
}

/* Seconds that a message takes, half a round trip of rank 0 with rank 1. */
static double sent(int rank, int bytes, int rounds) {
    double start = MPI_Wtime();
    for (int i = 0; i < rounds; i++) {
        if (rank == 0) MPI_Send(local, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
        MPI_Recv(result, bytes, MPI_BYTE, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 1) MPI_Send(local, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
    }
    return (MPI_Wtime() - start) / rounds / 2;
}

/* Seconds that an operation takes, flushed. */
static double flushed(void (*operation)(int), int bytes, int rounds) {
    double start = MPI_Wtime();
    for (int i = 0; i < rounds; i++) {
        operation(bytes);
        MPI_Win_flush(1, win);
    }
    return (MPI_Wtime() - start) / rounds;
}

static double locked(int type, int rounds) {
    double start = MPI_Wtime();
    for (int i = 0; i < rounds; i++) {
        MPI_Win_lock(type, 1, 0, win);
        MPI_Win_unlock(1, win);
    }
    return (MPI_Wtime() - start) / rounds;
}

static void measure(const char *name, void (*operation)(int), int longest) {
    static const int sizes[] = {8, 64, 1024, 16384, 65536, 1 << 20, 4 << 20};
    for (unsigned s = 0; s < sizeof sizes / sizeof *sizes && sizes[s] <= longest; s++) {
        int rounds = sizes[s] <= 1024 ? 20000 : sizes[s] <= 65536 ? 2000 : 50;
        double best = 1;
        flushed(operation, sizes[s], rounds / 10);
        for (int i = 0; i < BENCH_REPEAT; i++) {
            double seconds = flushed(operation, sizes[s], rounds);
            if (seconds < best) best = seconds;
        }
        bench_print(name, sizes[s], best);
    }
}

static void measure_sends(int rank) {
    for (int bytes = 8; bytes <= 1024; bytes *= bytes < 64 ? 8 : 16) {
        double best = 1;
        sent(rank, bytes, 2000);
        for (int i = 0; i < BENCH_REPEAT; i++) {
            double seconds = sent(rank, bytes, 20000);
            if (seconds < best) best = seconds;
        }
        if (rank == 0) bench_print("send", bytes, best);
    }
}

static void measure_lock(const char *name, int type) {
    double best = 1;
    for (int i = 0; i < BENCH_REPEAT; i++) {
        double seconds = locked(type, 20000);
        if (seconds < best) best = seconds;
    }
    bench_print(name, 0, best);
}

int main(int argc, char **argv) {
    int rank;
    char *part;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    local = bench_buffer(LONGEST);
    result = bench_buffer(LONGEST);
    MPI_Win_allocate(LONGEST, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &part, &win);
    for (int i = 0; i < LONGEST; i++) part[i] = local[i] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank < 2) measure_sends(rank);
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
        measure("put", put, LONGEST);
        measure("get", get, LONGEST);
        measure("accumulate", accumulate, LONGEST);
        measure("get_accum.", get_accumulate, LONGEST);
        measure("fetch_add", fetch_add, 8);
        measure("swap", compare_and_swap, 8);
        MPI_Win_unlock(1, win);
        measure_lock("lock", MPI_LOCK_EXCLUSIVE);
        measure_lock("lock shared", MPI_LOCK_SHARED);
        MPI_Send(NULL, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    } else if (rank == 1) {
        MPI_Recv(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
