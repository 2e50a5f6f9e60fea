// Grids and graphs with sizes that wrap, places far outside, neighbours that there are not and more numbers than fit anywhere: an error each,
// at once.
// ranks: 1 4
#include "hostile.h"

enum { MANY = 1 << 16 };
static int zeros[MANY], ones[MANY], numbers[3 * MANY];
static MPI_Comm line, made;

static void sizes(void)
{
    static const struct {
        int ndims, dims[4];
    } all[] = {
        {2, {65536, 65536}},           // 0 in 32 bits
        {2, {65537, 65535}},           // more than 2^32 - 1
        {4, {65537, 65535, 65537, 3}}, // more than 64 bits have
        {2, {INT32_MAX, INT32_MAX}},
        {3, {INT32_MAX, 2, 1}},
        {2, {INT32_MIN, 2}},
        {2, {-1, -1}},
        {1, {INT32_MAX}},
        {2, {1000, 1}},
        {-1, {1}},
        {INT32_MIN, {1}},
    };
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
        REFUSED(MPI_Cart_create(MPI_COMM_WORLD, all[i].ndims, all[i].dims, zeros, 0, &made));
        REFUSED(MPI_Cart_map(MPI_COMM_WORLD, all[i].ndims, all[i].dims, zeros, numbers));
    }
    // No dimension at all is a grid of one process.
    TRY(MPI_Cart_create(MPI_COMM_WORLD, 0, zeros, zeros, 0, &made));
    CHECK(rank == 0 || made == MPI_COMM_NULL);
    if (made != MPI_COMM_NULL)
        TRY(MPI_Comm_free(&made));
}

static void coordinates(void)
{
    static const int far[] = {INT32_MAX, INT32_MIN, -1, 1000, 1 << 30};
    MPI_Comm ring;
    int periodic = 1, found = -1, source = -7, dest = -7;
    TRY(MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring));
    for (unsigned i = 0; i < sizeof far / sizeof *far; i++) {
        FAILS(MPI_Cart_rank(line, &far[i], &found), MPI_ERR_ARG);
        // A ring goes round.
        TRY(MPI_Cart_rank(ring, &far[i], &found));
        CHECK(found >= 0 && found < size);
        CHECK_INT(found, (int)((far[i] % (long long)size + size) % size));
        TRY(MPI_Cart_shift(line, 0, far[i], &source, &dest));
        CHECK(source >= -3 && source < size && dest >= -3 && dest < size);
        TRY(MPI_Cart_shift(ring, 0, far[i], &source, &dest));
        CHECK(source >= 0 && source < size && dest >= 0 && dest < size);
        REFUSED(MPI_Cart_shift(ring, far[i] == 1 ? 2 : far[i], 1, &source, &dest));
        REFUSED(MPI_Cart_coords(ring, far[i], 1, numbers));
    }
    REFUSED(MPI_Cart_coords(ring, 0, -1, numbers));
    REFUSED(MPI_Cart_coords(ring, 0, 1, near_end(2)));
    TRY(MPI_Comm_free(&ring));
}

static void graphs(void)
{
    const int wrong[][2] = {{-1, 0}, {1, 0}, {INT32_MAX, INT32_MAX}, {INT32_MIN, 0}, {2, 1}};
    const int nobody[] = {-1, 1000, INT32_MAX, INT32_MIN};
    if (size > 1)
        for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++)
            REFUSED(MPI_Graph_create(MPI_COMM_WORLD, 2, wrong[i], wrong[i][0] == 1 ? nobody : zeros, 0, &made));
    for (unsigned i = 0; i < 4; i++)
        REFUSED(MPI_Graph_create(MPI_COMM_WORLD, 1, ones, &nobody[i], 0, &made));
    REFUSED(MPI_Graph_create(MPI_COMM_WORLD, size + 1, ones, zeros, 0, &made));
    REFUSED(MPI_Graph_create(MPI_COMM_WORLD, -1, ones, zeros, 0, &made));
    REFUSED(MPI_Graph_create(MPI_COMM_WORLD, INT32_MAX, ones, zeros, 0, &made));
    REFUSED(MPI_Graph_create(MPI_COMM_WORLD, 1, near_end(0), zeros, 0, &made));
    TRY(MPI_Graph_create(MPI_COMM_WORLD, 1, ones, zeros, 0, &made));
    if (made != MPI_COMM_NULL) {
        int n = -1;
        for (unsigned i = 0; i < 4; i++) {
            REFUSED(MPI_Graph_neighbors_count(made, nobody[i], &n));
            REFUSED(MPI_Graph_neighbors(made, nobody[i], 1, numbers));
        }
        REFUSED(MPI_Graph_get(made, -1, 1, numbers, numbers));
        REFUSED(MPI_Graph_get(made, 1, 1, near_end(0), numbers));
        TRY(MPI_Comm_free(&made));
    }
}

static void distributed(void)
{
    static const int wrong[] = {-1, INT32_MAX, INT32_MIN};
    int me = rank;
    for (unsigned i = 0; i < 3; i++) {
        REFUSED(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &wrong[i], ones, &me, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made));
        REFUSED(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &me, ones, &wrong[i], MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made));
        REFUSED(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &me, &wrong[i], zeros, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made));
        REFUSED(MPI_Dist_graph_create(MPI_COMM_WORLD, wrong[i], &me, ones, zeros, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made));
        REFUSED(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, wrong[i], &me, MPI_UNWEIGHTED, 1, &me, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made));
        REFUSED(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &me, MPI_UNWEIGHTED, wrong[i], &me, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made));
    }
    REFUSED(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, near_end(4), MPI_UNWEIGHTED, 0, NULL, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made));
    REFUSED(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &me, near_end(2), 1, &me, near_end(2), MPI_INFO_NULL, 0, &made));
}

/* A neighbour many times over: buffers that are as long as all of them. */
static void crowds(void)
{
    int me = rank;
    static int crowd[MANY];
    static char bytes[MANY];
    for (int i = 0; i < MANY; i++)
        crowd[i] = me;
    TRY(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1000, crowd, MPI_UNWEIGHTED, 1000, crowd, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made));
    FAILS(MPI_Neighbor_allgather(bytes, 1 << 22, MPI_INT, bytes, 1 << 22, MPI_INT, made), MPI_ERR_BUFFER);
    FAILS(MPI_Neighbor_allgather_c(bytes, 1, MPI_CHAR, bytes, 1LL << 62, MPI_CHAR, made), embedded() ? MPI_ERR_COUNT : MPI_ERR_BUFFER);
    FAILS(MPI_Neighbor_alltoall_c(bytes, 1LL << 54, MPI_CHAR, bytes, 1LL << 54, MPI_CHAR, made), embedded() ? MPI_ERR_COUNT : MPI_ERR_BUFFER);
    FAILS(MPI_Neighbor_alltoall(near_end(999), 1, MPI_CHAR, bytes, 1, MPI_CHAR, made), MPI_ERR_BUFFER);
    FAILS(MPI_Neighbor_allgather(bytes, 1, MPI_CHAR, near_end(999), 1, MPI_CHAR, made), MPI_ERR_BUFFER);
    FAILS(MPI_Neighbor_alltoall(bytes, 0, MPI_DATATYPE_NULL, bytes + MANY / 2, 0, MPI_CHAR, made), MPI_ERR_TYPE);
    REFUSED(MPI_Neighbor_allgatherv(bytes, 1, MPI_CHAR, bytes, near_end(3996), zeros, MPI_CHAR, made));
    TRY(MPI_Neighbor_alltoall(bytes, 1, MPI_CHAR, bytes + MANY / 2, 1, MPI_CHAR, made));
    TRY(MPI_Comm_free(&made));
}

static void parts_of_a_grid(void)
{
    int all = 1;
    REFUSED(MPI_Cart_sub(MPI_COMM_WORLD, &all, &made));
    REFUSED(MPI_Cart_sub(line, near_end(0), &made));
    REFUSED(MPI_Cart_get(line, -1, numbers, numbers, numbers));
    REFUSED(MPI_Cartdim_get(MPI_COMM_WORLD, numbers));
    REFUSED(MPI_Graphdims_get(line, numbers, numbers));
    REFUSED(MPI_Dist_graph_neighbors_count(line, numbers, numbers, numbers));
    REFUSED(MPI_Topo_test(MPI_COMM_NULL, numbers));
    REFUSED(MPI_Dims_create(0, 2, numbers));
    REFUSED(MPI_Dims_create(-6, 2, numbers));
    REFUSED(MPI_Dims_create(6, -1, numbers));
    numbers[0] = 4;
    numbers[1] = 0;
    REFUSED(MPI_Dims_create(6, 2, numbers));
    numbers[0] = -4;
    REFUSED(MPI_Dims_create(8, 2, numbers));
    numbers[0] = numbers[1] = 65536;
    REFUSED(MPI_Dims_create(1, 2, numbers));
    REFUSED(MPI_Dims_create(8, 2, near_end(4)));
}

int main(int argc, char **argv)
{
    hostile_begin(&argc, &argv);
    for (int i = 0; i < MANY; i++)
        ones[i] = 1;
    TRY(MPI_Cart_create(MPI_COMM_WORLD, 1, &size, zeros, 0, &line));
    sizes();
    coordinates();
    graphs();
    distributed();
    crowds();
    parts_of_a_grid();
    TRY(MPI_Comm_free(&line));
    return hostile_end();
}
