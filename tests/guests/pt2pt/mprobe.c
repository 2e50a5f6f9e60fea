// MPI_Mprobe, MPI_Improbe, MPI_Mrecv, MPI_Imrecv: a matched message is nobody else's.
// large: yes
#include "../check.h"

int main(int argc, char **argv)
{
    enum { COUNT = 20000 };
    static int out[COUNT], in[COUNT], other[COUNT];
    MPI_Message message;
    MPI_Status status;
    MPI_Request request, sends[2];
    int flag;
    check_begin(&argc, &argv);
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    for (int count = 1; count <= COUNT; count *= 20) {
        for (int i = 0; i < count; i++)
            out[i] = rank + 10 * i;
        TRY(MPI_Isend(out, count, MPI_INT, next, 1, MPI_COMM_WORLD, &sends[0]));
        TRY(MPI_Isend(out, count / 2, MPI_INT, next, 1, MPI_COMM_WORLD, &sends[1]));
        TRY(MPI_Mprobe(before, 1, MPI_COMM_WORLD, &message, &status));
        CHECK(message != MPI_MESSAGE_NULL && message != MPI_MESSAGE_NO_PROC);
        CHECK_STATUS(status, before, 1);
        CHECK_COUNT(status, MPI_INT, count);
        // The first is taken: this receive gets the second.
        TRY(MPI_Recv(other, count, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status));
        CHECK_COUNT(status, MPI_INT, count / 2);
        TRY(MPI_Mrecv(in, count, MPI_INT, &message, &status));
        CHECK(message == MPI_MESSAGE_NULL);
        CHECK_STATUS(status, before, 1);
        CHECK_COUNT(status, MPI_INT, count);
        for (int i = 0; i < count; i++)
            CHECK_INT(in[i], before + 10 * i);
        TRY(MPI_Waitall(2, sends, MPI_STATUSES_IGNORE));

        TRY(MPI_Isend(out, count, MPI_INT, next, 2, MPI_COMM_WORLD, &sends[0]));
        do
            TRY(MPI_Improbe(MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &flag, &message, &status));
        while (!flag);
        CHECK_STATUS(status, before, 2);
        memset(in, 0, sizeof in);
        TRY(MPI_Imrecv(in, COUNT, MPI_INT, &message, &request));
        CHECK(message == MPI_MESSAGE_NULL);
        TRY(MPI_Wait(&request, &status));
        CHECK_STATUS(status, before, 2);
        CHECK_COUNT(status, MPI_INT, count);
        for (int i = 0; i < count; i++)
            CHECK_INT(in[i], before + 10 * i);
        TRY(MPI_Wait(&sends[0], MPI_STATUS_IGNORE));
    }
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    TRY(MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &message, &status));
    CHECK_INT(flag, 0);
    // From nobody: the message that is none.
    TRY(MPI_Mprobe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &message, &status));
    CHECK(message == MPI_MESSAGE_NO_PROC);
    CHECK_EMPTY(status, MPI_PROC_NULL);
    TRY(MPI_Mrecv(in, 5, MPI_INT, &message, &status));
    CHECK(message == MPI_MESSAGE_NULL);
    CHECK_EMPTY(status, MPI_PROC_NULL);
    TRY(MPI_Improbe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &flag, &message, &status));
    CHECK_INT(flag, 1);
    CHECK(message == MPI_MESSAGE_NO_PROC);
    TRY(MPI_Imrecv(in, 5, MPI_INT, &message, &request));
    TRY(MPI_Wait(&request, &status));
    CHECK_EMPTY(status, MPI_PROC_NULL);
    // Too little room for a matched message.
    TRY(MPI_Isend(out, 10, MPI_INT, rank, 4, MPI_COMM_WORLD, &sends[0]));
    TRY(MPI_Mprobe(rank, 4, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE));
    FAILS(MPI_Mrecv(in, 9, MPI_INT, &message, &status), MPI_ERR_TRUNCATE);
    TRY(MPI_Wait(&sends[0], MPI_STATUS_IGNORE));
    return check_end();
}
