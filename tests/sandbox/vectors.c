// The arrays of v and w collectives: displacements and counts that lead outside, arrays that lie outside, handles that are none.
// ranks: 1 3
#include "hostile.h"

int main(int argc, char **argv)
{
    int out[8] = {0}, in[8] = {0}, one = 1, zero = 0, huge = INT32_MAX, minus = -1, below = -(int)((intptr_t)in / 4) - 1;
    MPI_Datatype type = MPI_INT, wrong = (MPI_Datatype)0x12345678;
    hostile_begin(&argc, &argv);
    MPI_Comm self = MPI_COMM_SELF;
    static const int wild[] = {INT32_MAX, INT32_MIN, INT32_MAX / 4, 1 << 29, -(1 << 29)};
    for (unsigned i = 0; i < sizeof wild / sizeof *wild; i++) {
        const int *place = &wild[i];
        FAILS(MPI_Gatherv(out, 1, MPI_INT, in, &one, place, MPI_INT, 0, self), MPI_ERR_BUFFER);
        FAILS(MPI_Scatterv(out, &one, place, MPI_INT, in, 1, MPI_INT, 0, self), MPI_ERR_BUFFER);
        FAILS(MPI_Allgatherv(out, 1, MPI_INT, in, &one, place, MPI_INT, self), MPI_ERR_BUFFER);
        FAILS(MPI_Alltoallv(out, &one, place, MPI_INT, in, &one, &zero, MPI_INT, self), MPI_ERR_BUFFER);
        FAILS(MPI_Alltoallv(out, &one, &zero, MPI_INT, in, &one, place, MPI_INT, self), MPI_ERR_BUFFER);
        FAILS(MPI_Alltoallw(out, &one, place, &type, in, &one, &zero, &type, self), MPI_ERR_BUFFER);
        FAILS(MPI_Alltoallw(out, &one, &zero, &type, in, &one, place, &type, self), MPI_ERR_BUFFER);
    }
    FAILS(MPI_Allgatherv(out, 1, MPI_INT, in, &one, &below, MPI_INT, self), MPI_ERR_BUFFER);
    FAILS(MPI_Gatherv(out, 1, MPI_INT, in, &minus, &zero, MPI_INT, 0, self), MPI_ERR_COUNT);
    FAILS(MPI_Alltoallv(out, &minus, &zero, MPI_INT, in, &one, &zero, MPI_INT, self), MPI_ERR_COUNT);
    FAILS(MPI_Alltoallv(out, &one, &zero, MPI_INT, in, &huge, &zero, MPI_INT, self), MPI_ERR_BUFFER);
    FAILS(MPI_Reduce_scatter(out, in, &huge, MPI_INT, MPI_SUM, self), MPI_ERR_BUFFER);
    FAILS(MPI_Reduce_scatter(out, in, &minus, MPI_INT, MPI_SUM, self), MPI_ERR_COUNT);
    // The arrays themselves.
    REFUSED(MPI_Gatherv(out, 1, MPI_INT, in, near_end(2), &zero, MPI_INT, 0, self));
    REFUSED(MPI_Allgatherv(out, 1, MPI_INT, in, &one, near_end(0), MPI_INT, self));
    REFUSED(MPI_Alltoallw(out, &one, &zero, near_end(3), in, &one, &zero, &type, self));
    FAILS(MPI_Alltoallw(out, &one, &zero, &wrong, in, &one, &zero, &type, self), MPI_ERR_TYPE);
    REFUSED(MPI_Waitall(3, near_end(8), MPI_STATUSES_IGNORE));
    REFUSED(MPI_Waitall(INT32_MAX, (MPI_Request *)in, MPI_STATUSES_IGNORE));
    REFUSED(MPI_Waitall(-1, (MPI_Request *)in, MPI_STATUSES_IGNORE));
    REFUSED(MPI_Startall(2, near_end(4)));
    int index, flag;
    REFUSED(MPI_Waitany(2, near_end(4), &index, MPI_STATUS_IGNORE));
    REFUSED(MPI_Testsome(2, near_end(4), &index, &flag, MPI_STATUSES_IGNORE));
    MPI_Group world, group;
    TRY(MPI_Comm_group(MPI_COMM_WORLD, &world));
    REFUSED(MPI_Group_incl(world, 1, near_end(2), &group));
    REFUSED(MPI_Group_incl(world, INT32_MAX, in, &group));
    REFUSED(MPI_Group_incl(world, -1, in, &group));
    REFUSED(MPI_Group_range_incl(world, 1, near_end(8), &group));
    REFUSED(MPI_Group_translate_ranks(world, INT32_MAX, in, world, in));
    REFUSED(MPI_Group_translate_ranks(world, 1, &zero, world, near_end(2)));
    TRY(MPI_Group_free(&world));
    MPI_Comm cart;
    REFUSED(MPI_Cart_create(self, 1, near_end(0), &one, 0, &cart));
    REFUSED(MPI_Cart_create(self, INT32_MAX, &one, &one, 0, &cart));
    REFUSED(MPI_Cart_create(self, -1, &one, &one, 0, &cart));
    REFUSED(MPI_Dims_create(4, INT32_MAX, in));
    REFUSED(MPI_Dims_create(4, 2, near_end(4)));
    return hostile_end();
}
