// MPI_Request_free of an active send or receive: the handle goes, the message does not.
#include "../check.h"

int main(int argc, char **argv)
{
    enum { COUNT = 30000 };
    static int out[COUNT], in[COUNT];
    MPI_Request request;
    check_begin(&argc, &argv);
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    for (int count = 1; count <= COUNT; count *= 100) {
        for (int i = 0; i < count; i++)
            out[i] = rank + i;
        memset(in, -1, sizeof in);
        TRY(MPI_Isend(out, count, MPI_INT, next, 1, MPI_COMM_WORLD, &request));
        TRY(MPI_Request_free(&request));
        CHECK(request == MPI_REQUEST_NULL);
        TRY(MPI_Recv(in, count, MPI_INT, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK_INT(in[count - 1], before + count - 1);
        TRY(MPI_Barrier(MPI_COMM_WORLD));
        // A freed receive: a later message of the same sender tells that it has arrived.
        int done = -1;
        memset(in, -1, sizeof in);
        TRY(MPI_Irecv(in, count, MPI_INT, before, 2, MPI_COMM_WORLD, &request));
        TRY(MPI_Request_free(&request));
        TRY(MPI_Barrier(MPI_COMM_WORLD));
        TRY(MPI_Ssend(out, count, MPI_INT, size == 1 ? MPI_PROC_NULL : next, 2, MPI_COMM_WORLD));
        if (size > 1) {
            TRY(MPI_Sendrecv(&rank, 1, MPI_INT, next, 3, &done, 1, MPI_INT, before, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            CHECK_INT(done, before);
        } else
            TRY(MPI_Send(out, count, MPI_INT, 0, 2, MPI_COMM_WORLD));
        TRY(MPI_Barrier(MPI_COMM_WORLD));
    }
    return check_end();
}
