// Messages between two ranks do not overtake one another, whatever their sizes, modes and tags.
#include "../check.h"

enum { LARGEST = 40000, MESSAGES = 60 };
static int out[MESSAGES][LARGEST / 40], in[LARGEST], big[LARGEST];

static int count_of(int n)
{
    return n % 10 == 3 ? LARGEST : n % 7 == 0 ? 0 : n % 3 == 0 ? 800 : 1 + n;
}

int main(int argc, char **argv)
{
    MPI_Request requests[MESSAGES];
    check_begin(&argc, &argv);
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    for (int round = 0; round < 4; round++) {
        for (int n = 0; n < MESSAGES; n++) {
            int count = count_of(n), *data = count == LARGEST ? big : out[n];
            data[0] = count == LARGEST ? -7 : n;
            if (n % 4 == 1)
                TRY(MPI_Issend(data, count, MPI_INT, next, round, MPI_COMM_WORLD, &requests[n]));
            else
                TRY(MPI_Isend(data, count, MPI_INT, next, round, MPI_COMM_WORLD, &requests[n]));
        }
        if (round % 2)
            TRY(MPI_Barrier(MPI_COMM_WORLD));
        for (int n = 0; n < MESSAGES; n++) {
            MPI_Status status;
            in[0] = -1;
            int any = (n + round) % 3;
            TRY(MPI_Recv(in, LARGEST, MPI_INT, any == 1 ? MPI_ANY_SOURCE : before, any == 2 ? MPI_ANY_TAG : round, MPI_COMM_WORLD, &status));
            CHECK_STATUS(status, before, round);
            CHECK_COUNT(status, MPI_INT, count_of(n));
            if (count_of(n) > 0)
                CHECK_INT(in[0], count_of(n) == LARGEST ? -7 : n);
        }
        TRY(MPI_Waitall(MESSAGES, requests, MPI_STATUSES_IGNORE));
        TRY(MPI_Barrier(MPI_COMM_WORLD));
    }
    // Tags select: received in the opposite order of sending.
    for (int n = 0; n < MESSAGES; n++) {
        out[n][0] = n;
        TRY(MPI_Isend(out[n], 1, MPI_INT, next, n, MPI_COMM_WORLD, &requests[n]));
    }
    for (int n = MESSAGES - 1; n >= 0; n--) {
        TRY(MPI_Recv(in, 1, MPI_INT, before, n, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK_INT(in[0], n);
    }
    TRY(MPI_Waitall(MESSAGES, requests, MPI_STATUSES_IGNORE));
    return check_end();
}
