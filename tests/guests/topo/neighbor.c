// MPI_Neighbor_allgather, _allgatherv, _alltoall, _alltoallv, _alltoallw: on a ring, a grid with edges, and a directed graph.
// large: yes
#include "../check.h"

enum { COUNT = 50 };
static int out[4 * COUNT], in[4 * COUNT + 1];

// On a communicator whose neighbours are given; `code` tells each message from every other.
static void exchange(MPI_Comm comm, int me, int n_in, const int *sources, int n_out, const int *targets)
{
    count_t in_counts[4], out_counts[4];
    displ_t in_places[4], out_places[4];
    MPI_Aint in_bytes[4], out_bytes[4];
    MPI_Datatype types[4] = {MPI_INT, MPI_INT, MPI_INT, MPI_INT};
    for (int i = 0; i < COUNT; i++)
        out[i] = me * 1000 + i;
    memset(in, -1, sizeof in);
    TRY(MPI_Neighbor_allgather(out, COUNT, MPI_INT, in, COUNT, MPI_INT, comm));
    for (int s = 0; s < n_in; s++)
        for (int i = 0; i < COUNT; i++)
            CHECK_INT(in[s * COUNT + i], sources[s] == MPI_PROC_NULL ? -1 : sources[s] * 1000 + i);
    CHECK_INT(in[n_in * COUNT], -1);
    // Backwards, with gaps; a rank sends as many as its number says.
    memset(in, -1, sizeof in);
    for (int s = 0; s < n_in; s++) {
        in_counts[s] = sources[s] == MPI_PROC_NULL ? 3 : sources[s] % 5 + 1;
        in_places[s] = (n_in - 1 - s) * COUNT;
    }
    TRY(MPI_Neighbor_allgatherv(out, me % 5 + 1, MPI_INT, in, in_counts, in_places, MPI_INT, comm));
    for (int s = 0; s < n_in; s++)
        for (int i = 0; i < COUNT; i++)
            CHECK_INT(in[in_places[s] + i], sources[s] != MPI_PROC_NULL && i < in_counts[s] ? sources[s] * 1000 + i : -1);
    // What goes to a target tells the target, and which of the edges it is does not matter for the sum.
    for (int t = 0; t < n_out; t++)
        for (int i = 0; i < COUNT; i++)
            out[t * COUNT + i] = me * 1000 + (targets[t] == MPI_PROC_NULL ? 0 : targets[t]) * 10;
    memset(in, -1, sizeof in);
    TRY(MPI_Neighbor_alltoall(out, COUNT, MPI_INT, in, COUNT, MPI_INT, comm));
    for (int s = 0; s < n_in; s++)
        for (int i = 0; i < COUNT; i++)
            CHECK_INT(in[s * COUNT + i], sources[s] == MPI_PROC_NULL ? -1 : sources[s] * 1000 + me * 10);
    for (int t = 0; t < n_out; t++) {
        out_counts[t] = 2 + me % 3;
        out_places[t] = t * COUNT;
        out_bytes[t] = t * COUNT * (MPI_Aint)sizeof(int);
    }
    for (int s = 0; s < n_in; s++) {
        in_counts[s] = 2 + (sources[s] == MPI_PROC_NULL ? 0 : sources[s]) % 3;
        in_places[s] = (n_in - 1 - s) * COUNT;
        in_bytes[s] = in_places[s] * (MPI_Aint)sizeof(int);
    }
    for (int w = 0; w < 2; w++) {
        memset(in, -1, sizeof in);
        if (w)
            TRY(MPI_Neighbor_alltoallw(out, out_counts, out_bytes, types, in, in_counts, in_bytes, types, comm));
        else
            TRY(MPI_Neighbor_alltoallv(out, out_counts, out_places, MPI_INT, in, in_counts, in_places, MPI_INT, comm));
        for (int s = 0; s < n_in; s++)
            for (int i = 0; i < COUNT; i++)
                CHECK_INT(in[in_places[s] + i], sources[s] != MPI_PROC_NULL && i < in_counts[s] ? sources[s] * 1000 + me * 10 : -1);
    }
}

int main(int argc, char **argv)
{
    MPI_Comm ring, grid, graph;
    int dims[2] = {0, 0}, periods[2] = {0, 1}, neighbours[4], me;
    check_begin(&argc, &argv);
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    TRY(MPI_Cart_create(MPI_COMM_WORLD, 1, &size, (int[]){1}, 0, &ring));
    exchange(ring, rank, 2, (int[]){before, next}, 2, (int[]){before, next});
    TRY(MPI_Comm_free(&ring));
    TRY(MPI_Dims_create(size, 2, dims));
    TRY(MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid));
    TRY(MPI_Comm_rank(grid, &me));
    for (int d = 0; d < 2; d++)
        TRY(MPI_Cart_shift(grid, d, 1, &neighbours[2 * d], &neighbours[2 * d + 1]));
    exchange(grid, me, 4, neighbours, 4, neighbours);
    TRY(MPI_Comm_free(&grid));
    TRY(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &before, MPI_UNWEIGHTED, 1, &next, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph));
    exchange(graph, rank, 1, &before, 1, &next);
    TRY(MPI_Comm_free(&graph));
    FAILS(MPI_Neighbor_allgather(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD), MPI_ERR_TOPOLOGY);
    return check_end();
}
