// A message longer than the receive's buffer is MPI_ERR_TRUNCATE, small and large, posted before and after; nothing is written behind the buffer.
#include "../check.h"

enum { LARGEST = 100000 };
static int out[LARGEST], in[LARGEST + 1];

static void attempt(int count, int room, int posted)
{
    MPI_Request request, send;
    MPI_Status status;
    int code;
    memset(in, -1, sizeof in);
    if (posted) {
        TRY(MPI_Irecv(in, room, MPI_INT, 0, 1, MPI_COMM_SELF, &request));
        TRY(MPI_Isend(out, count, MPI_INT, 0, 1, MPI_COMM_SELF, &send));
        code = MPI_Wait(&request, &status);
    } else {
        TRY(MPI_Isend(out, count, MPI_INT, 0, 1, MPI_COMM_SELF, &send));
        code = MPI_Recv(in, room, MPI_INT, 0, 1, MPI_COMM_SELF, &status);
    }
    CHECK_INT(check_class(code), MPI_ERR_TRUNCATE);
    CHECK_STATUS(status, 0, 1);
    CHECK_INT(in[room], -1);
    TRY(MPI_Wait(&send, MPI_STATUS_IGNORE));
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    for (int i = 0; i < LARGEST; i++)
        out[i] = i;
    for (int posted = 0; posted < 2; posted++) {
        attempt(1, 0, posted);
        attempt(10, 9, posted);
        attempt(1000, 1, posted);
        attempt(LARGEST, LARGEST - 1, posted);
    }
    // Between ranks; the next message is whole.
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    MPI_Request sends[2];
    TRY(MPI_Isend(out, 50, MPI_INT, next, 2, MPI_COMM_WORLD, &sends[0]));
    TRY(MPI_Isend(out, 20, MPI_INT, next, 2, MPI_COMM_WORLD, &sends[1]));
    FAILS(MPI_Recv(in, 49, MPI_INT, before, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
    memset(in, -1, sizeof in);
    TRY(MPI_Recv(in, 20, MPI_INT, before, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK_BYTES(in, out, 20 * sizeof(int));
    TRY(MPI_Waitall(2, sends, MPI_STATUSES_IGNORE));
    return check_end();
}
