// MPI_Comm_attach_buffer, MPI_Comm_detach_buffer, MPI_Comm_flush_buffer, MPI_Comm_iflush_buffer: a buffer of one communicator, and an automatic one.
// large: yes
#include "../check.h"

static void exchange(MPI_Comm comm)
{
    enum { COUNT = 400 };
    int out[COUNT], in[COUNT], next = (rank + 1) % size, before = (rank + size - 1) % size;
    MPI_Request request;
    for (int i = 0; i < COUNT; i++)
        out[i] = rank * COUNT + i;
    TRY(MPI_Bsend(out, COUNT, MPI_INT, next, 3, comm));
    TRY(MPI_Ibsend(out, COUNT, MPI_INT, next, 4, comm, &request));
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
    for (int tag = 3; tag <= 4; tag++) {
        TRY(MPI_Recv(in, COUNT, MPI_INT, before, tag, comm, MPI_STATUS_IGNORE));
        for (int i = 0; i < COUNT; i++)
            CHECK_INT(in[i], before * COUNT + i);
    }
}

int main(int argc, char **argv)
{
    static char space[2 * (400 * sizeof(int) + MPI_BSEND_OVERHEAD)];
    void *detached = NULL;
    count_t bytes = 0;
    MPI_Comm comm;
    MPI_Request request;
    check_begin(&argc, &argv);
    TRY(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    TRY(MPI_Comm_attach_buffer(comm, space, sizeof space));
    exchange(comm);
    TRY(MPI_Comm_flush_buffer(comm));
    exchange(comm);
    TRY(MPI_Comm_iflush_buffer(comm, &request));
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
    TRY(MPI_Comm_detach_buffer(comm, &detached, &bytes));
    CHECK(detached == space);
    CHECK_INT(bytes, sizeof space);
    // With the automatic buffer there is nothing to run out of.
    TRY(MPI_Comm_attach_buffer(comm, MPI_BUFFER_AUTOMATIC, 0));
    for (int i = 0; i < 20; i++)
        exchange(comm);
    TRY(MPI_Comm_detach_buffer(comm, &detached, &bytes));
    CHECK(detached == MPI_BUFFER_AUTOMATIC);
    TRY(MPI_Comm_free(&comm));
    return check_end();
}
