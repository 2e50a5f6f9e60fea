// Receives that overlap in memory, while several senders write at once: the guest's own mistake, and nobody else's.
// ranks: 4 8
#include "hostile.h"

int main(int argc, char **argv)
{
    enum { COUNT = 200000 };
    static unsigned char before_it[64], room[COUNT + 64], after_it[64];
    static unsigned char out[COUNT];
    hostile_begin(&argc, &argv);
    memset(before_it, 0xc5, sizeof before_it);
    memset(after_it, 0xc5, sizeof after_it);
    memset(out, rank, sizeof out);
    for (int round = 0; round < 10; round++) {
        if (rank == 0) {
            MPI_Request requests[8];
            for (int from = 1; from < size; from++)
                TRY(MPI_Irecv(room + from, COUNT, MPI_BYTE, from, 0, MPI_COMM_WORLD, &requests[from - 1]));
            TRY(MPI_Waitall(size - 1, requests, MPI_STATUSES_IGNORE));
            // Each byte is some sender's.
            for (int i = size; i < COUNT; i++)
                CHECK(room[i] > 0 && room[i] < size);
            // A message from a part of a buffer into an overlapping one: MPICH would end the process.
            MPI_Status status;
            int code = MPI_Sendrecv(room, COUNT, MPI_BYTE, 0, 1, room + 8, COUNT, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &status);
            FAILS(code, embedded() ? MPI_SUCCESS : MPI_ERR_BUFFER);
            for (int i = 0; i < 64; i++) {
                CHECK_INT(before_it[i], 0xc5);
                CHECK_INT(after_it[i], 0xc5);
            }
        } else
            TRY(MPI_Send(out, COUNT, MPI_BYTE, 0, 0, MPI_COMM_WORLD));
    }
    // In place and aliased buffers of a collective.
    int same[2] = {rank, rank};
    MPI_Allreduce(same, same, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return hostile_end();
}
