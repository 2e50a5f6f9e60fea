// MPI_Send, MPI_Ssend, MPI_Bsend, MPI_Rsend and MPI_Recv, from nothing to a megabyte, around the ring.
// large: yes
#include "../check.h"

enum { LARGEST = 1 << 18 };
static int out[LARGEST], in[LARGEST];

static void fill(int *buffer, int count, int seed)
{
    for (int i = 0; i < count; i++)
        buffer[i] = seed * 1000003 + i;
}

static void check_filled(const int *buffer, int count, int seed)
{
    for (int i = 0; i < count; i++)
        CHECK_INT(buffer[i], seed * 1000003 + i);
}

static void send(int mode, int count, int to, int tag)
{
    switch (mode) {
    case 0: TRY(MPI_Send(out, count, MPI_INT, to, tag, MPI_COMM_WORLD)); break;
    case 1: TRY(MPI_Ssend(out, count, MPI_INT, to, tag, MPI_COMM_WORLD)); break;
    case 2: TRY(MPI_Bsend(out, count, MPI_INT, to, tag, MPI_COMM_WORLD)); break;
    }
}

int main(int argc, char **argv)
{
    static const int counts[] = {0, 1, 7, 13, 26, 27, 255, 256, 257, 4096, 16385, 65536, LARGEST};
    // Room for all of them: nobody says when a buffered message leaves.
    static char buffer[2 * LARGEST * sizeof(int) + 16 * MPI_BSEND_OVERHEAD];
    MPI_Status status;
    check_begin(&argc, &argv);
    TRY(MPI_Buffer_attach(buffer, sizeof buffer));
    for (int mode = 0; mode < 3; mode++)
        for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++) {
            int count = counts[i], tag = 100 * mode + (int)i;
            fill(out, count, rank + tag);
            memset(in, -1, (count + 1) * sizeof *in < sizeof in ? (count + 1) * sizeof *in : sizeof in);
            if (size == 1 || rank != size - 1) {
                if (rank > 0 && size > 1)
                    TRY(MPI_Recv(in, count, MPI_INT, rank - 1, tag, MPI_COMM_WORLD, &status));
                if (size > 1)
                    send(mode, count, rank + 1, tag);
            } else
                TRY(MPI_Recv(in, count, MPI_INT, rank - 1, tag, MPI_COMM_WORLD, &status));
            if (rank > 0) {
                CHECK_STATUS(status, rank - 1, tag);
                CHECK_COUNT(status, MPI_INT, count);
                check_filled(in, count, rank - 1 + tag);
                if (count < LARGEST)
                    CHECK_INT(in[count], -1);
            }
        }
    void *detached;
    count_t bytes = 0;
    TRY(MPI_Buffer_detach(&detached, &bytes));
    CHECK(detached == buffer);
    CHECK_INT(bytes, sizeof buffer);
    // A ready send needs its receive to be posted: tell the sender when it is.
    for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++) {
        int count = counts[i];
        MPI_Request request = MPI_REQUEST_NULL;
        fill(out, count, rank + (int)i);
        if (rank > 0)
            TRY(MPI_Irecv(in, count, MPI_INT, rank - 1, 7, MPI_COMM_WORLD, &request));
        TRY(MPI_Barrier(MPI_COMM_WORLD));
        if (rank < size - 1)
            TRY(MPI_Rsend(out, count, MPI_INT, rank + 1, 7, MPI_COMM_WORLD));
        TRY(MPI_Wait(&request, &status));
        if (rank > 0) {
            CHECK_COUNT(status, MPI_INT, count);
            check_filled(in, count, rank - 1 + (int)i);
        }
    }
    return check_end();
}
