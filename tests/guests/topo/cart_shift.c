// MPI_Cart_shift: neighbours by any distance, around a period and off an edge; a halo exchange along them.
#include "../check.h"

int main(int argc, char **argv)
{
    int dims[2] = {0, 0}, periods[2] = {1, 0}, coords[2], from, to;
    MPI_Comm cart;
    check_begin(&argc, &argv);
    TRY(MPI_Dims_create(size, 2, dims));
    TRY(MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &cart));
    int me;
    TRY(MPI_Comm_rank(cart, &me));
    TRY(MPI_Cart_coords(cart, me, 2, coords));
    for (int step = -3; step <= 3; step++) {
        int r = (((coords[0] + step) % dims[0]) + dims[0]) % dims[0], s = (((coords[0] - step) % dims[0]) + dims[0]) % dims[0];
        TRY(MPI_Cart_shift(cart, 0, step, &from, &to));
        CHECK_INT(to, r * dims[1] + coords[1]);
        CHECK_INT(from, s * dims[1] + coords[1]);
        TRY(MPI_Cart_shift(cart, 1, step, &from, &to));
        int right = coords[1] + step, left = coords[1] - step;
        CHECK_INT(to, right < 0 || right >= dims[1] ? MPI_PROC_NULL : coords[0] * dims[1] + right);
        CHECK_INT(from, left < 0 || left >= dims[1] ? MPI_PROC_NULL : coords[0] * dims[1] + left);
    }
    for (int d = 0; d < 2; d++) {
        int got = -1;
        TRY(MPI_Cart_shift(cart, d, 1, &from, &to));
        TRY(MPI_Sendrecv(&me, 1, MPI_INT, to, d, &got, 1, MPI_INT, from, d, cart, MPI_STATUS_IGNORE));
        CHECK_INT(got, from == MPI_PROC_NULL ? -1 : from);
    }
    CHECK(MPI_Cart_shift(cart, 2, 1, &from, &to) != MPI_SUCCESS);
    CHECK(MPI_Cart_shift(cart, -1, 1, &from, &to) != MPI_SUCCESS);
    TRY(MPI_Comm_free(&cart));
    return check_end();
}
