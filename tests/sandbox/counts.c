// Counts that are negative or run past the end of memory, the large ones of the `_c` functions too.
// ranks: 1 3
#include "hostile.h"

int main(int argc, char **argv)
{
    int value = 1, in[4];
    MPI_Datatype type;
    hostile_begin(&argc, &argv);
    FAILS(MPI_Send(&value, -1, MPI_INT, rank, 0, MPI_COMM_WORLD), MPI_ERR_COUNT);
    FAILS(MPI_Send(&value, INT32_MIN, MPI_INT, rank, 0, MPI_COMM_WORLD), MPI_ERR_COUNT);
    FAILS(MPI_Send(&value, INT32_MAX, MPI_INT, rank, 0, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    FAILS(MPI_Send(&value, INT32_MAX, MPI_DOUBLE, rank, 0, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    FAILS(MPI_Recv(&value, INT32_MAX, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_ERR_BUFFER);
    // Counts whose product with the size wraps around at 32 and at 64 bits.
    static const MPI_Count counts[] = {1LL << 30, 1LL << 32, (1LL << 30) + 1, 1LL << 61, 1LL << 62, INT64_MAX, (1LL << 62) + 1};
    for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++) {
        FAILS(MPI_Send_c(&value, counts[i], MPI_INT, rank, 0, MPI_COMM_WORLD), MPI_ERR_BUFFER);
        FAILS(MPI_Recv_c(in, counts[i], MPI_DOUBLE, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_ERR_BUFFER);
        FAILS(MPI_Bcast_c(in, counts[i], MPI_INT, 0, MPI_COMM_SELF), MPI_ERR_BUFFER);
        FAILS(MPI_Allreduce_c(&value, in, counts[i], MPI_INT, MPI_SUM, MPI_COMM_SELF), MPI_ERR_BUFFER);
        REFUSED(MPI_Allgather_c(&value, counts[i], MPI_INT, in, counts[i], MPI_INT, MPI_COMM_SELF));
    }
    static const MPI_Count negative[] = {-1, INT64_MIN, -(1LL << 32), -(1LL << 32) + 1};
    for (unsigned i = 0; i < sizeof negative / sizeof *negative; i++) {
        FAILS(MPI_Send_c(&value, negative[i], MPI_INT, rank, 0, MPI_COMM_WORLD), MPI_ERR_COUNT);
        FAILS(MPI_Bcast_c(in, negative[i], MPI_INT, 0, MPI_COMM_SELF), MPI_ERR_COUNT);
        REFUSED(MPI_Type_contiguous_c(negative[i], MPI_INT, &type));
    }
    // Packing into what is no buffer.
    int position = 0;
    REFUSED(MPI_Pack(&value, 1, MPI_INT, near_end(2), 4, &position, MPI_COMM_WORLD));
    position = INT32_MAX - 8;
    REFUSED(MPI_Pack(&value, 1, MPI_INT, in, INT32_MAX, &position, MPI_COMM_WORLD));
    position = -4;
    REFUSED(MPI_Pack(&value, 1, MPI_INT, in, 4, &position, MPI_COMM_WORLD));
    position = INT32_MAX;
    REFUSED(MPI_Unpack(in, 16, &position, &value, 1, MPI_INT, MPI_COMM_WORLD));
    return hostile_end();
}
