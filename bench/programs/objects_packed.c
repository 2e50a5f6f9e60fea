/* The same graphs packed and unpacked by hand, as a C program over any MPI library does it. */
#include "bench.h"
#include "graphs.h"

static int rank;
static char *buffer;

static char *put(char *at, const void *bytes, size_t length) { memcpy(at, bytes, length); return at + length; }
static const char *get(const char *at, void *bytes, size_t length) { memcpy(bytes, at, length); return at + length; }

static size_t pack_list(const void *graph) {
    char *at = buffer;
    for (const struct element *element = graph; element; element = element->next) {
        at = put(at, &element->n, sizeof element->n);
        at = put(at, element->data, (size_t)element->n);
    }
    return (size_t)(at - buffer);
}

static void *unpack_list(size_t length) {
    struct element *first = NULL, **last = &first;
    for (const char *at = buffer; at < buffer + length; last = &(*last)->next) {
        *last = malloc(sizeof **last);
        at = get(at, &(*last)->n, sizeof (*last)->n);
        (*last)->data = (*last)->n ? malloc((size_t)(*last)->n) : NULL;
        if ((*last)->n) at = get(at, (*last)->data, (size_t)(*last)->n);
        (*last)->next = NULL;
    }
    return first;
}

/* Towns are numbered, so that roads can say where they lead. */
static size_t pack_map(const void *graph) {
    const struct map *map = graph;
    char *at = put(buffer, &map->n, sizeof map->n);
    for (int i = 0; i < map->n; i++) {
        const struct town *town = map->towns[i];
        int roads = 0;
        while (roads < 4 && town->roads[roads]) roads++;
        at = put(at, &town->id, sizeof town->id);
        at = put(at, &town->x, sizeof town->x);
        at = put(at, &town->y, sizeof town->y);
        at = put(at, &roads, sizeof roads);
        for (int j = 0; j < roads; j++) {
            at = put(at, &town->roads[j]->length, sizeof(int));
            at = put(at, &town->roads[j]->to->id, sizeof(int));
        }
    }
    return (size_t)(at - buffer);
}

static void *unpack_map(size_t length) {
    (void)length;
    struct map *map = malloc(sizeof *map);
    const char *at = get(buffer, &map->n, sizeof map->n);
    map->towns = malloc((size_t)map->n * sizeof *map->towns);
    for (int i = 0; i < map->n; i++) map->towns[i] = calloc(1, sizeof **map->towns);
    for (int i = 0; i < map->n; i++) {
        struct town *town = map->towns[i];
        int roads, to;
        at = get(at, &town->id, sizeof town->id);
        at = get(at, &town->x, sizeof town->x);
        at = get(at, &town->y, sizeof town->y);
        at = get(at, &roads, sizeof roads);
        for (int j = 0; j < roads; j++) {
            town->roads[j] = malloc(sizeof(struct road));
            at = get(at, &town->roads[j]->length, sizeof(int));
            at = get(at, &to, sizeof to);
            town->roads[j]->to = map->towns[to];
        }
    }
    return map;
}

static char *pack_leaf(char *at, const struct leaf *leaf) {
    char there = leaf != NULL;
    at = put(at, &there, 1);
    if (!there) return at;
    at = put(at, &leaf->value, sizeof leaf->value);
    return pack_leaf(pack_leaf(at, leaf->left), leaf->right);
}

static size_t pack_tree(const void *graph) { return (size_t)(pack_leaf(buffer, graph) - buffer); }

static const char *unpack_leaf(const char *at, struct leaf **leaf) {
    char there;
    at = get(at, &there, 1);
    *leaf = there ? malloc(sizeof **leaf) : NULL;
    if (!there) return at;
    at = get(at, &(*leaf)->value, sizeof (*leaf)->value);
    return unpack_leaf(unpack_leaf(at, &(*leaf)->left), &(*leaf)->right);
}

static void *unpack_tree(size_t length) {
    struct leaf *tree;
    (void)length;
    unpack_leaf(buffer, &tree);
    return tree;
}

struct kind {
    const char *name;
    void *(*make)(int size);
    size_t (*pack)(const void *graph);
    void *(*unpack)(size_t length);
    void (*release)(void *graph);
};

static void *list_of(int size) { return make_list(size, malloc); }
static void *map_of(int size) { return make_map(size, malloc); }
static void *tree_of(int size) { return make_tree(1, size, malloc); }
static void release_list(void *list) { free_list(list); }
static void release_map(void *map) { free_map(map); }
static void release_tree(void *tree) { free_tree(tree); }

static const struct kind list = {"list", list_of, pack_list, unpack_list, release_list};
static const struct kind map = {"map", map_of, pack_map, unpack_map, release_map};
static const struct kind tree = {"tree", tree_of, pack_tree, unpack_tree, release_tree};

static void send_graph(const struct kind *kind, void *graph) {
    MPI_Send(buffer, (int)kind->pack(graph), MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD);
    kind->release(graph);
}

static void *receive_graph(const struct kind *kind) {
    MPI_Status status;
    int length;
    MPI_Recv(buffer, 1 << 20, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_BYTE, &length);
    return kind->unpack((size_t)length);
}

static void measure(const struct kind *kind, int size) {
    int rounds = size < 100 ? 3000 : size < 2000 ? 500 : 100;
    double best = 1;
    for (int i = 0; i < BENCH_REPEAT; i++) {
        void *graph = rank == 0 ? kind->make(size) : NULL;
        double start = MPI_Wtime();
        for (int j = 0; j < rounds; j++) {
            if (rank == 0) send_graph(kind, graph);
            graph = receive_graph(kind);
            if (rank == 1) send_graph(kind, graph);
        }
        double seconds = (MPI_Wtime() - start) / rounds / 2;
        if (rank == 0) kind->release(graph);
        if (seconds < best) best = seconds;
    }
    if (rank == 0) bench_print(kind->name, size, best);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    buffer = bench_buffer(1 << 20);
    for (unsigned i = 0; i < sizeof list_sizes / sizeof *list_sizes; i++) measure(&list, list_sizes[i]);
    for (unsigned i = 0; i < sizeof map_sizes / sizeof *map_sizes; i++) measure(&map, map_sizes[i]);
    measure(&tree, tree_sizes[0]);
    MPI_Finalize();
    return 0;
}
