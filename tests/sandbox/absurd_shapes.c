// Shapes that no program has: factors of huge primes, a million edges between a rank and itself, types within types, blocks of nothing by the
// billion. Each call costs what its arguments are long, and none what their product would be.
// ranks: 1 2
#include "hostile.h"

enum { MANY = 1 << 20, DEPTH = 100 };
static int zeros[MANY], ones[MANY], numbers[MANY];
static char bytes[1024];

/* Takes the type apart in every way that goes through its blocks, and gives it up. */
static void use(MPI_Datatype type)
{
    int length = -1, position = 0;
    MPI_Aint low = -1, extent = -1;
    MPI_Request request;
    TRY(MPI_Type_commit(&type));
    TRY(MPI_Type_size(type, &length));
    TRY(MPI_Type_get_true_extent(type, &low, &extent));
    TRY(MPI_Irecv(bytes + 512, 1, type, 0, 0, MPI_COMM_SELF, &request));
    TRY(MPI_Send(bytes, 1, type, 0, 0, MPI_COMM_SELF));
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
    if (length <= 512)
        TRY(MPI_Pack(bytes, 1, type, bytes + 512, 512, &position, MPI_COMM_SELF));
    if (length == 0)
        TRY(MPI_Send(bytes, INT32_MAX, type, MPI_PROC_NULL, 0, MPI_COMM_SELF));
    TRY(MPI_Type_free(&type));
}

static void factors(void)
{
    static const struct {
        int nodes, ndims;
    } all[] = {{INT32_MAX, 8}, {INT32_MAX, MANY}, {1 << 30, 29}, {1 << 30, MANY}, {2095133040, 12}, {46337 * 46337, 3}};
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
        memset(numbers, 0, all[i].ndims * sizeof(int));
        TRY(MPI_Dims_create(all[i].nodes, all[i].ndims, numbers));
        long long product = 1;
        for (int n = 0; n < all[i].ndims; n++)
            product *= numbers[n];
        CHECK_INT(product, all[i].nodes);
    }
}

/* As many edges as there are numbers, all of them from this rank to itself. */
static void edges(void)
{
    int all = MANY, found = -1;
    MPI_Comm graph, copy;
    TRY(MPI_Graph_create(MPI_COMM_SELF, 1, &all, zeros, 0, &graph));
    for (int i = 0; i < 100; i++)
        TRY(MPI_Graph_neighbors_count(graph, 0, &found));
    CHECK_INT(found, MANY);
    TRY(MPI_Comm_dup(graph, &copy));
    TRY(MPI_Comm_free(&copy));
    TRY(MPI_Comm_free(&graph));
    TRY(MPI_Graph_map(MPI_COMM_SELF, 1, &all, zeros, &found));
    TRY(MPI_Dist_graph_create(MPI_COMM_SELF, 1, zeros, &all, zeros, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph));
    TRY(MPI_Comm_free(&graph));
    TRY(MPI_Dist_graph_create(MPI_COMM_SELF, MANY, zeros, ones, zeros, ones, MPI_INFO_NULL, 0, &graph));
    TRY(MPI_Comm_free(&graph));
    TRY(MPI_Dist_graph_create_adjacent(MPI_COMM_SELF, MANY / 16, zeros, ones, MANY / 16, zeros, ones, MPI_INFO_NULL, 0, &graph));
    TRY(MPI_Neighbor_alltoall(bytes, 0, MPI_BYTE, bytes, 0, MPI_BYTE, graph));
    TRY(MPI_Comm_free(&graph));
}

/* One rank by the million, and ranges of which each is more than there are. */
static void groups(void)
{
    static int ranges[MANY / 4][3];
    MPI_Group world, made;
    TRY(MPI_Comm_group(MPI_COMM_WORLD, &world));
    REFUSED(MPI_Group_incl(world, MANY, zeros, &made));
    REFUSED(MPI_Group_excl(world, MANY, zeros, &made));
    for (int i = 0; i < MANY / 4; i++)
        ranges[i][2] = 1;
    REFUSED(MPI_Group_range_incl(world, MANY / 4, ranges, &made));
    REFUSED(MPI_Group_range_excl(world, MANY / 4, ranges, &made));
    static const int wide[][3] = {{0, INT32_MAX, 1}, {INT32_MIN, INT32_MAX, 1}, {INT32_MAX, 0, -1}, {0, INT32_MIN, -1}, {0, INT32_MAX, 0}};
    for (int i = 0; i < 5; i++) {
        memcpy(ranges[0], wide[i], sizeof wide[i]);
        REFUSED(MPI_Group_range_incl(world, 1, ranges, &made));
        REFUSED(MPI_Group_range_excl(world, 1, ranges, &made));
    }
    TRY(MPI_Group_translate_ranks(world, MANY, zeros, world, numbers));
    CHECK_INT(numbers[MANY - 1], 0);
    TRY(MPI_Group_free(&world));
}

/* Types of types of types: of one element, of twice as many with each, in the same bytes. */
static void nested(void)
{
    int position = 0;
    MPI_Datatype type, next;
    TRY(MPI_Type_dup(MPI_BYTE, &type));
    for (int i = 0; i < DEPTH; i++) {
        TRY(i % 2 ? MPI_Type_contiguous(1, type, &next) : MPI_Type_dup(type, &next));
        TRY(MPI_Type_free(&type));
        type = next;
    }
    use(type);
    TRY(MPI_Type_dup(MPI_BYTE, &type));
    for (int i = 0; i < 9; i++) {
        TRY(MPI_Type_create_hvector(2, 1, i % 3, type, &next));
        TRY(MPI_Type_free(&type));
        type = next;
    }
    TRY(MPI_Type_commit(&type));
    TRY(MPI_Pack(bytes, 1, type, bytes + 512, 512, &position, MPI_COMM_SELF));
    CHECK_INT(position, 512);
    TRY(MPI_Type_free(&type));
}

/* Nothing, more often than could be counted. */
static void nothing(void)
{
    MPI_Datatype none, type;
    TRY(MPI_Type_vector(INT32_MAX, 0, 5, MPI_INT, &type));
    use(type);
    TRY(MPI_Type_indexed(MANY, zeros, numbers, MPI_INT, &type));
    use(type);
    TRY(MPI_Type_contiguous(0, MPI_INT, &none));
    TRY(MPI_Type_vector(INT32_MAX, 1, 1, none, &type));
    use(type);
    TRY(MPI_Type_create_hindexed_block(1 << 10, INT32_MAX, (MPI_Aint *)zeros, none, &type));
    use(type);
    TRY(MPI_Type_free(&none));
}

/* Arrays of a million dimensions, and one that is dealt out byte by byte. */
static void arrays(void)
{
    static int none[MANY], as_usual[MANY];
    MPI_Datatype type;
    for (int i = 0; i < MANY; i++) {
        none[i] = MPI_DISTRIBUTE_NONE;
        as_usual[i] = MPI_DISTRIBUTE_DFLT_DARG;
    }
    for (int order = 0; order < 2; order++) {
        int which = order ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
        if (MPI_Type_create_subarray(MANY / 4, ones, ones, zeros, which, MPI_INT, &type) == MPI_SUCCESS)
            use(type);
        if (MPI_Type_create_darray(1, 0, MANY / 4, ones, none, as_usual, ones, which, MPI_INT, &type) == MPI_SUCCESS)
            use(type);
    }
    if (MPI_Type_create_darray(2, 0, 1, (int[]){1 << 20}, (int[]){MPI_DISTRIBUTE_CYCLIC}, ones, (int[]){2}, MPI_ORDER_C, MPI_BYTE, &type) == MPI_SUCCESS)
        TRY(MPI_Type_free(&type));
}

int main(int argc, char **argv)
{
    hostile_begin(&argc, &argv);
    for (int i = 0; i < MANY; i++)
        ones[i] = 1;
    factors();
    edges();
    groups();
    nested();
    nothing();
    arrays();
    return hostile_end();
}
