// MPI_Dist_graph_create, MPI_Dist_graph_create_adjacent, MPI_Dist_graph_neighbors, MPI_Dist_graph_neighbors_count: weighted and not.
#include "../check.h"

int main(int argc, char **argv)
{
    int in = -1, out = -1, weighted = -1, kind, sources[4], targets[4], source_weights[4], target_weights[4];
    MPI_Comm graph;
    check_begin(&argc, &argv);
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    // From the one before and from oneself, to the next and to oneself.
    TRY(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, (int[]){before, rank}, (int[]){before + 1, 100}, 2, (int[]){rank, next},
                                       (int[]){100, rank + 1}, MPI_INFO_NULL, 0, &graph));
    TRY(MPI_Topo_test(graph, &kind));
    CHECK_INT(kind, MPI_DIST_GRAPH);
    TRY(MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted));
    CHECK_INT(in, 2);
    CHECK_INT(out, 2);
    CHECK_INT(weighted != 0, 1);
    TRY(MPI_Dist_graph_neighbors(graph, 2, sources, source_weights, 2, targets, target_weights));
    CHECK_INT(sources[0], before);
    CHECK_INT(sources[1], rank);
    CHECK_INT(source_weights[0], before + 1);
    CHECK_INT(source_weights[1], 100);
    CHECK_INT(targets[0], rank);
    CHECK_INT(targets[1], next);
    CHECK_INT(target_weights[1], rank + 1);
    TRY(MPI_Comm_free(&graph));
    TRY(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, NULL, MPI_WEIGHTS_EMPTY, 0, NULL, MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, 0, &graph));
    TRY(MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted));
    CHECK_INT(in, 0);
    CHECK_INT(out, 0);
    TRY(MPI_Comm_free(&graph));
    // Rank 0 describes the whole ring; nobody else says anything.
    enum { MAX_RANKS = 64 };
    int from[MAX_RANKS], degrees[MAX_RANKS], to[MAX_RANKS];
    for (int r = 0; r < size; r++) {
        from[r] = r;
        degrees[r] = 1;
        to[r] = (r + 1) % size;
    }
    TRY(MPI_Dist_graph_create(MPI_COMM_WORLD, rank == 0 ? size : 0, from, degrees, to, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph));
    TRY(MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted));
    CHECK_INT(in, 1);
    CHECK_INT(out, 1);
    CHECK_INT(weighted, 0);
    TRY(MPI_Dist_graph_neighbors(graph, 1, sources, MPI_UNWEIGHTED, 1, targets, MPI_UNWEIGHTED));
    CHECK_INT(sources[0], before);
    CHECK_INT(targets[0], next);
    TRY(MPI_Comm_free(&graph));
    return check_end();
}
