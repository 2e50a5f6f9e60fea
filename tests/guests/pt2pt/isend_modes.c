// MPI_Isend, MPI_Issend, MPI_Ibsend, MPI_Irsend, MPI_Irecv: all to all, receives posted before and after.
// large: yes
#include "../check.h"

enum { MODES = 4, MAX_RANKS = 16, COUNT = 3000 };
static int out[MODES][COUNT], in[MODES][MAX_RANKS][COUNT];

static int isend(int mode, count_t count, int to, MPI_Request *request)
{
    switch (mode) {
    case 0: return MPI_Isend(out[0], count, MPI_INT, to, 0, MPI_COMM_WORLD, request);
    case 1: return MPI_Issend(out[1], count, MPI_INT, to, 1, MPI_COMM_WORLD, request);
    case 2: return MPI_Ibsend(out[2], count, MPI_INT, to, 2, MPI_COMM_WORLD, request);
    default: return MPI_Irsend(out[3], count, MPI_INT, to, 3, MPI_COMM_WORLD, request);
    }
}

static void exchange(int count, int receives_first)
{
    MPI_Request requests[2 * MODES * MAX_RANKS];
    MPI_Status statuses[2 * MODES * MAX_RANKS];
    int n = 0, first_receive = 0;
    for (int mode = 0; mode < MODES; mode++)
        for (int i = 0; i < count; i++)
            out[mode][i] = rank * 100000 + mode * 10000 + i;
    memset(in, -1, sizeof in);
    for (int phase = 0; phase < 2; phase++) {
        if (phase == !receives_first) {
            first_receive = n;
            for (int from = 0; from < size; from++)
                for (int mode = 0; mode < MODES; mode++)
                    if (mode < 3 || receives_first)
                        TRY(MPI_Irecv(in[mode][from], count, MPI_INT, from, mode, MPI_COMM_WORLD, &requests[n++]));
            if (receives_first)
                TRY(MPI_Barrier(MPI_COMM_WORLD));
        } else
            for (int to = 0; to < size; to++)
                for (int mode = 0; mode < MODES; mode++)
                    if (mode < 3 || receives_first)
                        TRY(isend(mode, count, to, &requests[n++]));
    }
    TRY(MPI_Waitall(n, requests, statuses));
    n = first_receive;
    for (int from = 0; from < size; from++)
        for (int mode = 0; mode < (receives_first ? 4 : 3); mode++, n++) {
            CHECK_STATUS(statuses[n], from, mode);
            CHECK_COUNT(statuses[n], MPI_INT, count);
            CHECK(requests[n] == MPI_REQUEST_NULL);
            for (int i = 0; i < count; i++)
                CHECK_INT(in[mode][from][i], from * 100000 + mode * 10000 + i);
        }
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    count_t bytes = size * (COUNT * sizeof(int) + MPI_BSEND_OVERHEAD);
    char *buffer = malloc(bytes), *detached;
    CHECK(size <= MAX_RANKS);
    for (int count = 0; count <= COUNT; count = count * 7 + 1)
        for (int receives_first = 0; receives_first < 2; receives_first++) {
            TRY(MPI_Buffer_attach(buffer, bytes));
            exchange(count, receives_first);
            TRY(MPI_Buffer_detach(&detached, &bytes));
            CHECK(detached == buffer);
        }
    free(buffer);
    return check_end();
}
