// Buffers that begin or end outside of memory, of every kind of call.
// ranks: 1 3
#include "hostile.h"

int main(int argc, char **argv)
{
    int value = 1, in[4];
    MPI_Request request = MPI_REQUEST_NULL;
    hostile_begin(&argc, &argv);
    void *wild[] = {near_end(0), near_end(3), (void *)(memory_end() + 65536), (void *)-4, (void *)0x7ffffffc, (void *)0x80000000u};
    for (unsigned i = 0; i < sizeof wild / sizeof *wild; i++) {
        void *at = wild[i];
        FAILS(MPI_Send(at, 1, MPI_INT, rank, 0, MPI_COMM_WORLD), MPI_ERR_BUFFER);
        FAILS(MPI_Ssend(at, 1, MPI_INT, rank, 0, MPI_COMM_WORLD), MPI_ERR_BUFFER);
        FAILS(MPI_Recv(at, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_ERR_BUFFER);
        FAILS(MPI_Isend(at, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, &request), MPI_ERR_BUFFER);
        FAILS(MPI_Irecv(at, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, &request), MPI_ERR_BUFFER);
        FAILS(MPI_Send_init(at, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, &request), MPI_ERR_BUFFER);
        FAILS(MPI_Recv_init(at, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, &request), MPI_ERR_BUFFER);
        FAILS(MPI_Sendrecv(at, 1, MPI_INT, rank, 0, in, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_ERR_BUFFER);
        FAILS(MPI_Sendrecv(&value, 1, MPI_INT, rank, 0, at, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_ERR_BUFFER);
        FAILS(MPI_Sendrecv_replace(at, 1, MPI_INT, rank, 0, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_ERR_BUFFER);
        CHECK(request == MPI_REQUEST_NULL);
        // Collectives: on oneself, so that nobody waits for what was refused.
        FAILS(MPI_Bcast(at, 1, MPI_INT, 0, MPI_COMM_SELF), MPI_ERR_BUFFER);
        FAILS(MPI_Allreduce(at, in, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF), MPI_ERR_BUFFER);
        FAILS(MPI_Allreduce(&value, at, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF), MPI_ERR_BUFFER);
        FAILS(MPI_Allreduce(MPI_IN_PLACE, at, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF), MPI_ERR_BUFFER);
        FAILS(MPI_Gather(&value, 1, MPI_INT, at, 1, MPI_INT, 0, MPI_COMM_SELF), MPI_ERR_BUFFER);
        FAILS(MPI_Scatter(at, 1, MPI_INT, in, 1, MPI_INT, 0, MPI_COMM_SELF), MPI_ERR_BUFFER);
        FAILS(MPI_Alltoall(&value, 1, MPI_INT, at, 1, MPI_INT, MPI_COMM_SELF), MPI_ERR_BUFFER);
        FAILS(MPI_Scan(&value, at, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF), MPI_ERR_BUFFER);
        FAILS(MPI_Reduce_local(at, in, 1, MPI_INT, MPI_SUM), MPI_ERR_BUFFER);
        FAILS(MPI_Reduce_local(in, at, 1, MPI_INT, MPI_SUM), MPI_ERR_BUFFER);
    }
    // The last bytes of memory are memory.
    memcpy(near_end(4), &rank, 4);
    TRY(MPI_Sendrecv(near_end(4), 1, MPI_INT, rank, 0, in, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK_INT(in[0], rank);
    return hostile_end();
}
