/* Object graphs between two ranks, as WebAssembly: described objects, one by one or in one block, a cluster, and the
 * plain send of as many bytes. */
#include "bench.h"
#include "graphs.h"
#include <rankine.h>

static int rank;
static Rankine_Type element_type, road_type, town_type, map_type, leaf_type;
static Rankine_Cluster cluster;

static void describe(void) {
    element_type = RANKINE_DECLARE(struct element);
    road_type = RANKINE_DECLARE(struct road);
    town_type = RANKINE_DECLARE(struct town);
    map_type = RANKINE_DECLARE(struct map);
    leaf_type = RANKINE_DECLARE(struct leaf);
    RANKINE_DEFINE(element_type, struct element, RANKINE_REFERENCE(next, element_type),
                   RANKINE_ARRAY(data, RANKINE_OF(MPI_CHAR), n));
    RANKINE_DEFINE(road_type, struct road, RANKINE_REFERENCE(to, town_type));
    RANKINE_DEFINE(town_type, struct town, RANKINE_REFERENCE(roads, road_type));
    RANKINE_DEFINE(map_type, struct map, RANKINE_REFERENCE_ARRAY(towns, town_type, n));
    RANKINE_DEFINE(leaf_type, struct leaf, RANKINE_REFERENCE(left, leaf_type), RANKINE_REFERENCE(right, leaf_type));
}

static void release_block(void *first) { free(first); }
static void release_list(void *list) { free_list(list); }
static void release_map(void *map) { free_map(map); }
static void release_tree(void *tree) { free_tree(tree); }

/* Half a round trip of a graph: rank 1 sends back what it received, and both free what they have sent. The first graph,
 * which rank 0 made, goes round once before. */
static double objects(void *graph, Rankine_Type type, void release_made(void *), void release(void *), int rounds) {
    double start = 0;
    for (int i = -1; i < rounds; i++) {
        if (i == 0) start = MPI_Wtime();
        if (rank == 0) {
            Rankine_Send(&graph, 1, type, 1, 0, MPI_COMM_WORLD);
            (i < 0 ? release_made : release)(graph);
            Rankine_Recv(&graph, 1, type, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            Rankine_Recv(&graph, 1, type, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            Rankine_Send(&graph, 1, type, 0, 0, MPI_COMM_WORLD);
            release(graph);
        }
    }
    double seconds = MPI_Wtime() - start;
    if (rank == 0) release(graph);
    return seconds / rounds / 2;
}

static double clusters(int rounds) {
    double start = MPI_Wtime();
    for (int i = 0; i < rounds; i++) {
        if (rank == 0) Rankine_Cluster_send(cluster, 1, 0, MPI_COMM_WORLD);
        Rankine_Cluster_recv(cluster, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 1) Rankine_Cluster_send(cluster, 0, 0, MPI_COMM_WORLD);
    }
    return (MPI_Wtime() - start) / rounds / 2;
}

static double plain(char *buffer, int bytes, int rounds) {
    double start = MPI_Wtime();
    for (int i = 0; i < rounds; i++) {
        if (rank == 0) MPI_Send(buffer, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        MPI_Recv(buffer, bytes, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 1) MPI_Send(buffer, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    }
    return (MPI_Wtime() - start) / rounds / 2;
}

static void *in_cluster(size_t bytes) { return Rankine_Cluster_allocate(cluster, bytes); }

static double smaller(double a, double b) { return a < b ? a : b; }

/* A root that makes a graph in memory that `allocate` gives. */
typedef void *make_function(int size, allocate_function *allocate);
static void *list_of(int size, allocate_function *allocate) { return make_list(size, allocate); }
static void *map_of(int size, allocate_function *allocate) { return make_map(size, allocate); }
static void *tree_of(int size, allocate_function *allocate) { return make_tree(1, size, allocate); }

/* The work of both ends without the way between them: a rank that sends to itself. The shortest of many times counts. */
static double alone(void *graph, Rankine_Type type, void release_made(void *), void release(void *), int rounds) {
    double best = 1;
    for (int i = 0; i < rounds; i++) {
        void *came;
        double start = MPI_Wtime();
        Rankine_Sendrecv(&graph, 1, 0, 0, &came, 1, 0, 0, type, MPI_COMM_SELF, MPI_STATUS_IGNORE);
        release(came);
        best = smaller(best, MPI_Wtime() - start);
    }
    release_made(graph);
    return best;
}

/* What is measured, by the words of the command line; `together` receives graphs into one block. */
enum way { OBJECTS, CLUSTER, BYTES, ALONE };
static enum way way;
static int together;

static void measure(const char *what, int size, make_function *make, Rankine_Type type, void release_made(void *)) {
    void (*release)(void *) = together ? release_block : release_made;
    if (together) type = RANKINE_TOGETHER(type);
    int rounds = size < 100 ? 3000 : size < 2000 ? 500 : 100;
    double best = 1;
    if (way == ALONE) {
        bench_print(what, size, alone(make(size, malloc), type, release_made, release, rounds));
        return;
    }
    Rankine_Cluster_reset(cluster);
    if (rank == 0) Rankine_Cluster_set_root(cluster, make(size, in_cluster));
    Rankine_Cluster_bcast(cluster, 0, MPI_COMM_WORLD);
    int used = (int)Rankine_Cluster_get_size(cluster);
    char *buffer = bench_buffer(used);
    for (int i = 0; i < BENCH_REPEAT; i++) {
        double seconds = way == CLUSTER ? clusters(rounds)
                         : way == BYTES ? plain(buffer, used, rounds)
                                        : objects(rank == 0 ? make(size, malloc) : NULL, type, release_made, release, rounds);
        best = smaller(best, seconds);
    }
    free(buffer);
    if (rank == 0) bench_print(what, size, best);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const char *word = argc > 1 ? argv[1] : "objects";
    together = argc > 2;
    way = strcmp(word, "cluster") == 0 ? CLUSTER : strcmp(word, "bytes") == 0 ? BYTES : strcmp(word, "alone") == 0 ? ALONE : OBJECTS;
    describe();
    Rankine_Cluster_create(4 << 20, 0, MPI_COMM_WORLD, &cluster);
    for (unsigned i = 0; i < sizeof list_sizes / sizeof *list_sizes; i++)
        measure("list", list_sizes[i], list_of, element_type, release_list);
    for (unsigned i = 0; i < sizeof map_sizes / sizeof *map_sizes; i++)
        measure("map", map_sizes[i], map_of, map_type, release_map);
    measure("tree", tree_sizes[0], tree_of, leaf_type, release_tree);
    MPI_Finalize();
    return 0;
}
