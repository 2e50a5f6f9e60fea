/* What a call costs on its way into the MPI library: calls that do next to nothing, and messages of four sizes between
 * two ranks. */
#include "bench.h"

enum { CALLS = 200000, WINDOW = 32 };

static int rank;

static void comm_rank(void) {
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
}

static void send_to_nobody(void) {
    MPI_Send(NULL, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
}

static void test_nothing(void) {
    MPI_Request request = MPI_REQUEST_NULL;
    int flag;
    MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
}

static void type_size(void) {
    int size;
    MPI_Type_size(MPI_DOUBLE, &size);
}

static double call(void (*function)(void)) {
    double best = 1;
    for (int i = 0; i < BENCH_REPEAT; i++) {
        double start = MPI_Wtime();
        for (int j = 0; j < CALLS; j++) function();
        double seconds = (MPI_Wtime() - start) / CALLS;
        if (seconds < best) best = seconds;
    }
    return best;
}

static double ping_pong(char *out, char *in, int bytes, int rounds) {
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

static double one_way(char *buffer, int bytes, int rounds) {
    MPI_Request requests[WINDOW];
    double start = MPI_Wtime();
    for (int i = 0; i < rounds; i++) {
        for (int j = 0; j < WINDOW; j++) {
            if (rank == 0) MPI_Isend(buffer, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &requests[j]);
            else MPI_Irecv(buffer, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &requests[j]);
        }
        MPI_Waitall(WINDOW, requests, MPI_STATUSES_IGNORE);
        if (rank == 0) MPI_Recv(NULL, 0, MPI_BYTE, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else MPI_Send(NULL, 0, MPI_BYTE, 0, 2, MPI_COMM_WORLD);
    }
    return (MPI_Wtime() - start) / rounds / WINDOW;
}

int main(int argc, char **argv) {
    static const int sizes[] = {8, 1024, 65536, 1 << 20};
    static const struct { const char *what; void (*function)(void); } calls[] = {
        {"Comm_rank", comm_rank}, {"Type_size", type_size}, {"Test", test_nothing}, {"Send null", send_to_nobody}};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (unsigned c = 0; c < sizeof calls / sizeof *calls; c++) {
        double seconds = call(calls[c].function);
        if (rank == 0) bench_print(calls[c].what, 0, seconds);
    }
    char *out = bench_buffer(1 << 20), *in = bench_buffer(1 << 20);
    for (unsigned s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        int bytes = sizes[s], rounds = bytes <= 1024 ? 20000 : bytes <= 65536 ? 4000 : 400;
        double latency = 1, rate = 1;
        ping_pong(out, in, bytes, rounds / 10);
        for (int i = 0; i < BENCH_REPEAT; i++) {
            double seconds = ping_pong(out, in, bytes, rounds);
            if (seconds < latency) latency = seconds;
            seconds = one_way(rank ? in : out, bytes, rounds / 16);
            if (seconds < rate) rate = seconds;
        }
        if (rank == 0) bench_print("latency", bytes, latency);
        if (rank == 0) bench_print("one way", bytes, rate);
    }
    MPI_Finalize();
    return 0;
}
