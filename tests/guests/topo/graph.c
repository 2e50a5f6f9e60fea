// MPI_Graph_create, MPI_Graphdims_get, MPI_Graph_get, MPI_Graph_neighbors, MPI_Graph_neighbors_count, MPI_Graph_map: a ring and a star.
#include "../check.h"

int main(int argc, char **argv)
{
    enum { MAX_RANKS = 64 };
    int index[MAX_RANKS], edges[2 * MAX_RANKS], got_index[MAX_RANKS], got_edges[2 * MAX_RANKS], nodes, n, kind, place;
    MPI_Comm graph;
    check_begin(&argc, &argv);
    // Everybody knows rank 0, rank 0 knows everybody.
    for (int r = 0; r < size; r++)
        index[r] = size - 1 + r;
    for (int r = 1; r < size; r++) {
        edges[r - 1] = r;
        edges[size - 1 + r - 1] = 0;
    }
    TRY(MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 0, &graph));
    TRY(MPI_Topo_test(graph, &kind));
    CHECK_INT(kind, MPI_GRAPH);
    TRY(MPI_Graphdims_get(graph, &nodes, &n));
    CHECK_INT(nodes, size);
    CHECK_INT(n, 2 * (size - 1));
    TRY(MPI_Graph_get(graph, size, n, got_index, got_edges));
    for (int r = 0; r < size; r++)
        CHECK_INT(got_index[r], index[r]);
    for (int e = 0; e < n; e++)
        CHECK_INT(got_edges[e], edges[e]);
    for (int r = 0; r < size; r++) {
        TRY(MPI_Graph_neighbors_count(graph, r, &n));
        CHECK_INT(n, r == 0 ? size - 1 : 1);
        TRY(MPI_Graph_neighbors(graph, r, n, got_edges));
        for (int e = 0; e < n; e++)
            CHECK_INT(got_edges[e], r == 0 ? e + 1 : 0);
    }
    int sum;
    TRY(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, graph));
    CHECK_INT(sum, size * (size - 1) / 2);
    TRY(MPI_Comm_free(&graph));
    TRY(MPI_Graph_map(MPI_COMM_WORLD, size, index, edges, &place));
    CHECK(place >= 0 && place < size);
    // A graph of fewer nodes: one with an edge to itself.
    TRY(MPI_Graph_create(MPI_COMM_WORLD, 1, (int[]){1}, (int[]){0}, 0, &graph));
    CHECK((graph == MPI_COMM_NULL) == (rank != 0));
    if (graph != MPI_COMM_NULL)
        TRY(MPI_Comm_free(&graph));
    FAILS(MPI_Graphdims_get(MPI_COMM_WORLD, &nodes, &n), MPI_ERR_TOPOLOGY);
    return check_end();
}
