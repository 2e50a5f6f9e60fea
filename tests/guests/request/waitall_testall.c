// MPI_Waitall, MPI_Testall: all or none; null requests among them; no requests at all.
#include "../check.h"

enum { N = 40 };

int main(int argc, char **argv)
{
    int out[N], in[N], flag = -1;
    MPI_Request requests[2 * N];
    MPI_Status statuses[2 * N];
    check_begin(&argc, &argv);
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    TRY(MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE));
    TRY(MPI_Testall(0, NULL, &flag, MPI_STATUSES_IGNORE));
    CHECK_INT(flag, 1);
    for (int i = 0; i < N; i++)
        requests[i] = MPI_REQUEST_NULL;
    flag = -1;
    TRY(MPI_Testall(N, requests, &flag, statuses));
    CHECK_INT(flag, 1);
    for (int i = 0; i < N; i++)
        CHECK_EMPTY(statuses[i], MPI_ANY_SOURCE);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < N; i++) {
            in[i] = -1;
            if (i % 5 == 0)
                requests[i] = MPI_REQUEST_NULL;
            else
                TRY(MPI_Irecv(&in[i], 1, MPI_INT, before, i, MPI_COMM_WORLD, &requests[i]));
        }
        TRY(MPI_Testall(N, requests, &flag, statuses));
        CHECK_INT(flag, 0);
        for (int i = 0; i < N; i++)
            CHECK((requests[i] == MPI_REQUEST_NULL) == (i % 5 == 0));
        TRY(MPI_Barrier(MPI_COMM_WORLD));
        for (int i = N - 1; i >= 0; i--) {
            out[i] = rank * N + i;
            requests[N + i] = MPI_REQUEST_NULL;
            if (i % 5 != 0)
                TRY(MPI_Isend(&out[i], 1, MPI_INT, next, i, MPI_COMM_WORLD, &requests[N + i]));
        }
        if (round == 0)
            TRY(MPI_Waitall(2 * N, requests, statuses));
        else
            do
                TRY(MPI_Testall(2 * N, requests, &flag, statuses));
            while (!flag);
        for (int i = 0; i < N; i++) {
            CHECK(requests[i] == MPI_REQUEST_NULL);
            CHECK(requests[N + i] == MPI_REQUEST_NULL);
            if (i % 5 == 0) {
                CHECK_EMPTY(statuses[i], MPI_ANY_SOURCE);
                CHECK_INT(in[i], -1);
            } else {
                CHECK_STATUS(statuses[i], before, i);
                CHECK_INT(in[i], before * N + i);
            }
        }
    }
    return check_end();
}
