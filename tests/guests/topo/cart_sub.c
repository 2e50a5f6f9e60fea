// MPI_Cart_sub: rows and columns, each a grid of its own; MPI_Cart_map.
#include "../check.h"

int main(int argc, char **argv)
{
    int dims[2] = {0, 0}, periods[2] = {0, 1}, coords[2], n, me, place, got_dims[1], got_periods[1], got_coords[1], sum;
    MPI_Comm cart, row, column, point;
    check_begin(&argc, &argv);
    TRY(MPI_Dims_create(size, 2, dims));
    TRY(MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &cart));
    TRY(MPI_Cart_coords(cart, rank, 2, coords));
    TRY(MPI_Cart_sub(cart, (int[]){0, 1}, &row));
    TRY(MPI_Comm_size(row, &n));
    TRY(MPI_Comm_rank(row, &me));
    CHECK_INT(n, dims[1]);
    CHECK_INT(me, coords[1]);
    TRY(MPI_Cart_get(row, 1, got_dims, got_periods, got_coords));
    CHECK_INT(got_dims[0], dims[1]);
    CHECK_INT(got_periods[0] != 0, 1);
    CHECK_INT(got_coords[0], coords[1]);
    TRY(MPI_Allreduce(&coords[0], &sum, 1, MPI_INT, MPI_SUM, row));
    CHECK_INT(sum, n * coords[0]);
    TRY(MPI_Cart_sub(cart, (int[]){1, 0}, &column));
    TRY(MPI_Comm_rank(column, &me));
    CHECK_INT(me, coords[0]);
    TRY(MPI_Cart_sub(cart, (int[]){0, 0}, &point));
    TRY(MPI_Comm_size(point, &n));
    CHECK_INT(n, 1);
    TRY(MPI_Cartdim_get(point, &n));
    CHECK_INT(n, 0);
    TRY(MPI_Comm_free(&point));
    TRY(MPI_Comm_free(&row));
    TRY(MPI_Comm_free(&column));
    TRY(MPI_Comm_free(&cart));
    TRY(MPI_Cart_map(MPI_COMM_WORLD, 2, dims, periods, &place));
    CHECK(place >= 0 && place < size);
    int one = 1, wrap = 0;
    TRY(MPI_Cart_map(MPI_COMM_WORLD, 1, &one, &wrap, &place));
    CHECK(place == 0 || place == MPI_UNDEFINED);
    return check_end();
}
