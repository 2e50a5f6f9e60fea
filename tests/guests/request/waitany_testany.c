// MPI_Waitany, MPI_Testany: one at a time, each once; MPI_UNDEFINED when none is active.
#include "../check.h"

enum { N = 12 };

int main(int argc, char **argv)
{
    int out[N], in[N], index = -1, flag = -1, seen[N] = {0};
    MPI_Request requests[N], sends[N];
    MPI_Status status;
    check_begin(&argc, &argv);
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    for (int i = 0; i < N; i++)
        requests[i] = MPI_REQUEST_NULL;
    TRY(MPI_Waitany(N, requests, &index, &status));
    CHECK_INT(index, MPI_UNDEFINED);
    CHECK_EMPTY(status, MPI_ANY_SOURCE);
    TRY(MPI_Testany(N, requests, &index, &flag, &status));
    CHECK_INT(flag, 1);
    CHECK_INT(index, MPI_UNDEFINED);
    CHECK_EMPTY(status, MPI_ANY_SOURCE);
    TRY(MPI_Waitany(0, NULL, &index, &status));
    CHECK_INT(index, MPI_UNDEFINED);
    for (int round = 0; round < 2; round++) {
        for (int i = 1; i < N; i++)
            TRY(MPI_Irecv(&in[i], 1, MPI_INT, before, i, MPI_COMM_WORLD, &requests[i]));
        flag = -1;
        TRY(MPI_Testany(N, requests, &index, &flag, &status));
        CHECK_INT(flag, 0);
        CHECK_INT(index, MPI_UNDEFINED);
        TRY(MPI_Barrier(MPI_COMM_WORLD));
        memset(seen, 0, sizeof seen);
        for (int i = 1; i < N; i++) {
            out[i] = 100 * rank + i;
            TRY(MPI_Isend(&out[i], 1, MPI_INT, next, i, MPI_COMM_WORLD, &sends[i]));
        }
        for (int n = 1; n < N; n++) {
            if (round == 0)
                TRY(MPI_Waitany(N, requests, &index, &status));
            else
                do
                    TRY(MPI_Testany(N, requests, &index, &flag, &status));
                while (!flag);
            CHECK(index > 0 && index < N);
            CHECK_INT(seen[index], 0);
            seen[index] = 1;
            CHECK(requests[index] == MPI_REQUEST_NULL);
            CHECK_STATUS(status, before, index);
            CHECK_INT(in[index], 100 * before + index);
        }
        TRY(MPI_Waitany(N, requests, &index, MPI_STATUS_IGNORE));
        CHECK_INT(index, MPI_UNDEFINED);
        TRY(MPI_Waitall(N - 1, sends + 1, MPI_STATUSES_IGNORE));
        TRY(MPI_Barrier(MPI_COMM_WORLD));
    }
    // A request that completes while another never would: only its message is sent.
    MPI_Request two[2];
    TRY(MPI_Irecv(&in[0], 1, MPI_INT, before, 90, MPI_COMM_WORLD, &two[0]));
    TRY(MPI_Irecv(&in[1], 1, MPI_INT, before, 91, MPI_COMM_WORLD, &two[1]));
    TRY(MPI_Send(&rank, 1, MPI_INT, next, 91, MPI_COMM_WORLD));
    TRY(MPI_Waitany(2, two, &index, &status));
    CHECK_INT(index, 1);
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    TRY(MPI_Send(&rank, 1, MPI_INT, next, 90, MPI_COMM_WORLD));
    TRY(MPI_Waitany(2, two, &index, &status));
    CHECK_INT(index, 0);
    return check_end();
}
