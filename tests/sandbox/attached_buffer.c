// A buffer for buffered sends that its program overwrites all the time: messages don't lie there, nor does anything that the host follows.
// ranks: 1 2 3
#include "hostile.h"

enum { COUNT = 2000, ROUNDS = 8 };

int main(int argc, char **argv)
{
    static int out[COUNT], in[COUNT];
    hostile_begin(&argc, &argv);
    int bytes = ROUNDS * (COUNT * (int)sizeof(int) + MPI_BSEND_OVERHEAD), got = 0;
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    char *buffer = malloc(bytes), *detached = NULL;
    MPI_Comm dup;
    TRY(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
    for (int own = 0; own < 2; own++) {
        MPI_Comm comm = own ? dup : MPI_COMM_WORLD;
        TRY(own ? MPI_Comm_attach_buffer(comm, buffer, bytes) : MPI_Buffer_attach(buffer, bytes));
        for (int round = 0; round < ROUNDS; round++) {
            memset(buffer, round % 2 ? 0xff : 0x41, bytes);
            for (int i = 0; i < COUNT; i++) out[i] = 1000 * round + i + rank;
            TRY(MPI_Bsend(out, COUNT, MPI_INT, next, round, comm));
            memset(out, 0, sizeof out);
            memset(buffer, 0x7f, bytes);
        }
        for (int round = 0; round < ROUNDS; round++) {
            TRY(MPI_Recv(in, COUNT, MPI_INT, before, round, comm, MPI_STATUS_IGNORE));
            for (int i = 0; i < COUNT; i++) CHECK_INT(in[i], 1000 * round + i + before);
        }
        memset(buffer, 0, bytes);
        TRY(own ? MPI_Comm_detach_buffer(comm, &detached, &got) : MPI_Buffer_detach(&detached, &got));
        CHECK(detached == buffer);
        CHECK_INT(got, bytes);
        for (int i = 0; i < bytes; i++) CHECK_INT(buffer[i], 0);
    }
    // More than there is memory can't be attached, however often the same bytes are given.
    MPI_Comm many[64];
    int attached = 0, half = (int)(memory_end() / 2) - 4096;
    for (; attached < 64; attached++) {
        TRY(MPI_Comm_dup(MPI_COMM_SELF, &many[attached]));
        if (MPI_Comm_attach_buffer(many[attached], (char *)4096, half) != MPI_SUCCESS) break;
    }
    // For the embedded engine a buffer is an account: it takes no memory.
    CHECK(attached < 64 || embedded());
    if (attached < 64) TRY(MPI_Comm_free(&many[attached]));
    while (attached-- > 0) {
        TRY(MPI_Comm_detach_buffer(many[attached], &detached, &got));
        TRY(MPI_Comm_free(&many[attached]));
    }
    TRY(MPI_Comm_free(&dup));
    free(buffer);
    return hostile_end();
}
