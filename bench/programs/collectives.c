/* Every collective, blocking, nonblocking and persistent, by the bytes that a rank has for each other: what a call takes of the rank
 * that waits longest. Roots change from call to call, so that no rank runs ahead. */
#include <string.h>

#include "bench.h"

enum {
    ROOTS = 4,
    TRIES = 3,
    /* From so many ranks on buffers are short, that all of them have room. */
    MANY = 100
};
static const double AT_LEAST = 4e-3;

static MPI_Comm all, ring;
static int rank, size, bytes;
/* Bytes of a buffer, with a block for every rank where that is what a collective wants. */
static int longest;
static char *one, *many, *result, *results;
static int *counts, *offsets, *shares;
static MPI_Datatype *types;
static MPI_Request request;

/* Both in bytes; in numbers for what computes. */
#define N (bytes / (int)sizeof(double))
#define COMPUTED MPI_DOUBLE, MPI_SUM

/* A collective's arguments but for the last, and the three calls with them. */
#define COLLECTIVE(Name, name, communicator, ...)                                                                      \
    static void call_##name(int root) { (void)root, MPI_##Name(__VA_ARGS__, communicator); }                           \
    static void start_##name(int root) { (void)root, MPI_I##name(__VA_ARGS__, communicator, &request); }               \
    static void prepare_##name(int root) {                                                                             \
        (void)root, MPI_##Name##_init(__VA_ARGS__, communicator, MPI_INFO_NULL, &request);                             \
    }

COLLECTIVE(Bcast, bcast, all, one, bytes, MPI_BYTE, root)
COLLECTIVE(Gather, gather, all, one, bytes, MPI_BYTE, results, bytes, MPI_BYTE, root)
COLLECTIVE(Gatherv, gatherv, all, one, bytes, MPI_BYTE, results, counts, offsets, MPI_BYTE, root)
COLLECTIVE(Scatter, scatter, all, many, bytes, MPI_BYTE, result, bytes, MPI_BYTE, root)
COLLECTIVE(Scatterv, scatterv, all, many, counts, offsets, MPI_BYTE, result, bytes, MPI_BYTE, root)
COLLECTIVE(Allgather, allgather, all, one, bytes, MPI_BYTE, results, bytes, MPI_BYTE)
COLLECTIVE(Allgatherv, allgatherv, all, one, bytes, MPI_BYTE, results, counts, offsets, MPI_BYTE)
COLLECTIVE(Alltoall, alltoall, all, many, bytes, MPI_BYTE, results, bytes, MPI_BYTE)
COLLECTIVE(Alltoallv, alltoallv, all, many, counts, offsets, MPI_BYTE, results, counts, offsets, MPI_BYTE)
COLLECTIVE(Alltoallw, alltoallw, all, many, counts, offsets, types, results, counts, offsets, types)
COLLECTIVE(Reduce, reduce, all, one, result, N, COMPUTED, root)
COLLECTIVE(Allreduce, allreduce, all, one, result, N, COMPUTED)
COLLECTIVE(Reduce_scatter_block, reduce_scatter_block, all, many, result, N, COMPUTED)
COLLECTIVE(Reduce_scatter, reduce_scatter, all, many, result, shares, COMPUTED)
COLLECTIVE(Scan, scan, all, one, result, N, COMPUTED)
COLLECTIVE(Exscan, exscan, all, one, result, N, COMPUTED)
COLLECTIVE(Neighbor_allgather, neighbor_allgather, ring, one, bytes, MPI_BYTE, results, bytes, MPI_BYTE)
COLLECTIVE(Neighbor_alltoall, neighbor_alltoall, ring, many, bytes, MPI_BYTE, results, bytes, MPI_BYTE)
COLLECTIVE(Neighbor_alltoallv, neighbor_alltoallv, ring, many, counts, offsets, MPI_BYTE, results, counts, offsets, MPI_BYTE)

static void call_barrier(int root) { (void)root, MPI_Barrier(all); }
static void start_barrier(int root) { (void)root, MPI_Ibarrier(all, &request); }
static void prepare_barrier(int root) { (void)root, MPI_Barrier_init(all, MPI_INFO_NULL, &request); }

typedef void Call(int root);

/* How many blocks its longest buffer has, and whether there is a root. */
typedef struct {
    const char *name;
    Call *call, *start, *prepare;
    enum { ONE, TWO, ALL } blocks;
    int has_root;
} Collective;

#define ROW(name, blocks, has_root) {#name, call_##name, start_##name, prepare_##name, blocks, has_root}

static const Collective COLLECTIVES[] = {
    ROW(barrier, ONE, 0),
    ROW(bcast, ONE, 1),
    ROW(gather, ALL, 1),
    ROW(gatherv, ALL, 1),
    ROW(scatter, ALL, 1),
    ROW(scatterv, ALL, 1),
    ROW(allgather, ALL, 0),
    ROW(allgatherv, ALL, 0),
    ROW(alltoall, ALL, 0),
    ROW(alltoallv, ALL, 0),
    ROW(alltoallw, ALL, 0),
    ROW(reduce, ONE, 1),
    ROW(allreduce, ONE, 0),
    ROW(reduce_scatter, ALL, 0),
    ROW(reduce_scatter_block, ALL, 0),
    ROW(scan, ONE, 0),
    ROW(exscan, ONE, 0),
    ROW(neighbor_allgather, TWO, 0),
    ROW(neighbor_alltoall, TWO, 0),
    ROW(neighbor_alltoallv, TWO, 0),
};

enum Kind { BLOCKING, NONBLOCKING, PERSISTENT };

static MPI_Request prepared[ROOTS];

static void once(const Collective *collective, enum Kind kind, int root) {
    switch (kind) {
    case BLOCKING: collective->call(root); return;
    case NONBLOCKING: collective->start(root); MPI_Wait(&request, MPI_STATUS_IGNORE); return;
    case PERSISTENT: MPI_Start(&prepared[root]); MPI_Wait(&prepared[root], MPI_STATUS_IGNORE);
    }
}

/* Seconds a call of this rank. */
static double repeated(const Collective *collective, enum Kind kind, int roots, int rounds) {
    MPI_Barrier(all);
    double start = MPI_Wtime();
    for (int i = 0; i < rounds; i++) once(collective, kind, i % roots);
    return (MPI_Wtime() - start) / rounds;
}

static double slowest(double seconds) {
    double all_of_them;
    MPI_Allreduce(&seconds, &all_of_them, 1, MPI_DOUBLE, MPI_MAX, all);
    return all_of_them;
}

static void measure(const Collective *collective, enum Kind kind) {
    static const char *const PREFIX[] = {"", "i", ""}, *const SUFFIX[] = {"", "", "_init"};
    int roots = !collective->has_root ? 1 : size < ROOTS ? size : ROOTS;
    if (kind == PERSISTENT) {
        for (int root = 0; root < roots; root++) collective->prepare(root), prepared[root] = request;
    }
    double best = slowest(repeated(collective, kind, roots, 2 * roots));
    int rounds = best > AT_LEAST ? roots : (int)(AT_LEAST / best / roots + 1) * roots;
    for (int i = 0; i < TRIES; i++) {
        double seconds = slowest(repeated(collective, kind, roots, rounds));
        if (seconds < best) best = seconds;
    }
    for (int root = 0; kind == PERSISTENT && root < roots; root++) MPI_Request_free(&prepared[root]);
    char what[64];
    snprintf(what, sizeof what, "%s%s%s of %d", PREFIX[kind], collective->name, SUFFIX[kind], size);
    if (rank == 0) bench_print(what, bytes, best);
}

static void prepare(void) {
    static const int is_periodic = 1;
    MPI_Comm_dup(MPI_COMM_WORLD, &all);
    MPI_Comm_rank(all, &rank);
    MPI_Comm_size(all, &size);
    MPI_Cart_create(all, 1, &size, &is_periodic, 0, &ring);
    longest = size < MANY ? 4 << 20 : 1 << 20;
    one = bench_buffer(longest), many = bench_buffer(longest);
    result = bench_buffer(longest), results = bench_buffer(longest);
    memset(one, 0, longest), memset(many, 0, longest);
    counts = bench_buffer(size * (long)sizeof *counts), offsets = bench_buffer(size * (long)sizeof *offsets);
    shares = bench_buffer(size * (long)sizeof *shares);
    types = bench_buffer(size * (long)sizeof *types);
}

int main(int argc, char **argv) {
    static const int sizes[] = {8, 1 << 10, 64 << 10, 1 << 20};
    MPI_Init(&argc, &argv);
    prepare();
    for (unsigned s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        bytes = sizes[s];
        for (int i = 0; i < size; i++) counts[i] = bytes, offsets[i] = i * bytes, shares[i] = N, types[i] = MPI_BYTE;
        for (unsigned c = 0; c < sizeof COLLECTIVES / sizeof *COLLECTIVES; c++) {
            const Collective *collective = &COLLECTIVES[c];
            int is_barrier = collective->call == call_barrier;
            if (is_barrier && s > 0) continue;
            long blocks = collective->blocks == ALL ? size : collective->blocks == TWO ? 2 : 1;
            if (blocks * bytes > longest) continue;
            for (enum Kind kind = BLOCKING; kind <= PERSISTENT; kind++) measure(collective, kind);
        }
    }
    MPI_Finalize();
    return 0;
}
