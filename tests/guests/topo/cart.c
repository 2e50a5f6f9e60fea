// MPI_Cart_create, MPI_Cart_coords, MPI_Cart_rank, MPI_Cart_get, MPI_Cartdim_get, MPI_Topo_test: ranks in the order of rows.
#include "../check.h"

int main(int argc, char **argv)
{
    int dims[2] = {0, 0}, periods[2] = {1, 0}, coords[2], got_dims[2], got_periods[2], n = -1, me, place, kind;
    MPI_Comm cart, small, none;
    check_begin(&argc, &argv);
    TRY(MPI_Dims_create(size, 2, dims));
    TRY(MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &cart));
    TRY(MPI_Comm_rank(cart, &me));
    CHECK_INT(me, rank);
    TRY(MPI_Topo_test(cart, &kind));
    CHECK_INT(kind, MPI_CART);
    TRY(MPI_Topo_test(MPI_COMM_WORLD, &kind));
    CHECK_INT(kind, MPI_UNDEFINED);
    TRY(MPI_Cartdim_get(cart, &n));
    CHECK_INT(n, 2);
    TRY(MPI_Cart_get(cart, 2, got_dims, got_periods, coords));
    for (int d = 0; d < 2; d++) {
        CHECK_INT(got_dims[d], dims[d]);
        CHECK_INT(got_periods[d] != 0, periods[d]);
    }
    CHECK_INT(coords[0], me / dims[1]);
    CHECK_INT(coords[1], me % dims[1]);
    for (int r = 0; r < size; r++) {
        TRY(MPI_Cart_coords(cart, r, 2, coords));
        CHECK_INT(coords[0], r / dims[1]);
        CHECK_INT(coords[1], r % dims[1]);
        TRY(MPI_Cart_rank(cart, coords, &place));
        CHECK_INT(place, r);
        // A periodic dimension has a coordinate for every integer.
        coords[0] += 3 * dims[0];
        TRY(MPI_Cart_rank(cart, coords, &place));
        CHECK_INT(place, r);
        coords[0] -= 5 * dims[0];
        TRY(MPI_Cart_rank(cart, coords, &place));
        CHECK_INT(place, r);
    }
    coords[0] = 0;
    coords[1] = dims[1];
    CHECK(MPI_Cart_rank(cart, coords, &place) != MPI_SUCCESS);
    FAILS(MPI_Cart_coords(cart, size, 2, coords), MPI_ERR_RANK);
    if (embedded()) // MPICH 5.0 crashes here.
        FAILS(MPI_Cart_get(MPI_COMM_WORLD, 2, got_dims, got_periods, coords), MPI_ERR_TOPOLOGY);
    FAILS(MPI_Cart_rank(MPI_COMM_WORLD, coords, &place), MPI_ERR_TOPOLOGY);
    // A duplicate has the topology, too.
    MPI_Comm dup;
    TRY(MPI_Comm_dup(cart, &dup));
    TRY(MPI_Topo_test(dup, &kind));
    CHECK_INT(kind, MPI_CART);
    TRY(MPI_Cartdim_get(dup, &n));
    CHECK_INT(n, 2);
    TRY(MPI_Comm_free(&dup));
    TRY(MPI_Comm_free(&cart));
    // Fewer places than ranks: the others get nothing.
    int one = 1;
    TRY(MPI_Cart_create(MPI_COMM_WORLD, 1, &one, &one, 1, &small));
    CHECK((small == MPI_COMM_NULL) == (rank != 0));
    if (small != MPI_COMM_NULL)
        TRY(MPI_Comm_free(&small));
    // No places: nobody gets anything.
    int empty[2] = {size + 1, 0}, mapped = 0;
    TRY(MPI_Cart_create(MPI_COMM_WORLD, 2, empty, periods, 1, &small));
    CHECK(small == MPI_COMM_NULL);
    TRY(MPI_Cart_map(MPI_COMM_WORLD, 2, empty, periods, &mapped));
    CHECK_INT(mapped, MPI_UNDEFINED);
    int many = size + 1;
    CHECK(MPI_Cart_create(MPI_COMM_WORLD, 1, &many, &one, 0, &none) != MPI_SUCCESS);
    int negative = -1;
    if (embedded()) // MPICH 5.0 lets it pass.
        CHECK(MPI_Cart_create(MPI_COMM_WORLD, 1, &negative, &one, 0, &none) != MPI_SUCCESS);
    // No dimensions at all: a single place.
    TRY(MPI_Cart_create(MPI_COMM_WORLD, 0, NULL, NULL, 0, &small));
    CHECK((small == MPI_COMM_NULL) == (rank != 0));
    if (small != MPI_COMM_NULL) {
        TRY(MPI_Cartdim_get(small, &n));
        CHECK_INT(n, 0);
        TRY(MPI_Cart_rank(small, NULL, &place));
        CHECK_INT(place, 0);
        TRY(MPI_Comm_free(&small));
    }
    return check_end();
}
