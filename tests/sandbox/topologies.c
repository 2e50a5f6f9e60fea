// Topologies with other numbers than the library takes for granted: more dimensions, more neighbours, ranks that are none.
// ranks: 1 2 4
// engines: mpi
#include "hostile.h"

int main(int argc, char **argv)
{
    static int ones[1000], numbers[5000], edges[5000], index[4];
    MPI_Comm cart, graph;
    hostile_begin(&argc, &argv);
    for (int i = 0; i < 1000; i++) ones[i] = 1;
    REFUSED(MPI_Cart_create(MPI_COMM_SELF, 1000, ones, ones, 0, &cart));
    const int wraps[4] = {65537, 65535, 65537, 65535};
    REFUSED(MPI_Cart_create(MPI_COMM_SELF, 4, wraps, ones, 0, &cart));
    REFUSED(MPI_Cart_map(MPI_COMM_SELF, 4, wraps, ones, numbers));
    REFUSED(MPI_Cart_create(MPI_COMM_SELF, 2, (int[]){-1, -1}, ones, 0, &cart));

    TRY(MPI_Cart_create(MPI_COMM_SELF, 16, ones, ones, 0, &cart));
    FAILS(MPI_Cart_get(cart, 1, numbers, numbers + 1, numbers + 2), MPI_ERR_ARG);
    TRY(MPI_Cart_get(cart, 20, numbers, numbers + 20, numbers + 40));
    CHECK_INT(numbers[15], 1);
    CHECK_INT(numbers[16], 0);
    int source, dest;
    TRY(MPI_Cart_shift(cart, 15, 1, &source, &dest));
    TRY(MPI_Comm_free(&cart));
    REFUSED(MPI_Cart_get(MPI_COMM_WORLD, 0, NULL, NULL, NULL));

    index[0] = 5000; // a rank that is 5000 times its own neighbour
    TRY(MPI_Graph_create(MPI_COMM_SELF, 1, index, edges, 0, &graph));
    FAILS(MPI_Graph_neighbors(graph, 0, 1, numbers), MPI_ERR_ARG);
    TRY(MPI_Graph_neighbors(graph, 0, 5000, numbers));
    TRY(MPI_Comm_free(&graph));

    int me[2] = {rank, rank}, in = -1, out = -1, weighted = -1;
    TRY(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, me, me, 1, me, me, MPI_INFO_NULL, 0, &graph));
    memset(numbers, 0x55, sizeof numbers);
    TRY(MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted));
    CHECK(in == 1 && out == 1 && weighted);
    TRY(MPI_Dist_graph_neighbors(graph, 1000, numbers, numbers + 1000, 1000, numbers + 2000, numbers + 3000));
    CHECK(numbers[0] == rank && numbers[1000] == rank && numbers[1] == 0x55555555 && numbers[3001] == 0x55555555);
    TRY(MPI_Dist_graph_neighbors(graph, 1, numbers, MPI_WEIGHTS_EMPTY, 1, numbers, MPI_WEIGHTS_EMPTY));
    FAILS(MPI_Dist_graph_neighbors(graph, 0, numbers, numbers, 1, numbers, numbers), MPI_ERR_ARG);
    TRY(MPI_Comm_free(&graph));
    for (int wrong = -1; wrong <= size; wrong += size + 1) {
        int two = 2;
        FAILS(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &wrong, &two, me, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph), MPI_ERR_RANK);
        FAILS(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, me, (int[]){1}, &wrong, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph), MPI_ERR_RANK);
        FAILS(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &wrong, MPI_UNWEIGHTED, 0, NULL, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph),
              MPI_ERR_RANK);
    }
    FAILS(MPI_Dist_graph_create(MPI_COMM_WORLD, 2, me, (int[]){-5, 10}, numbers, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph), MPI_ERR_ARG);
    return hostile_end();
}
