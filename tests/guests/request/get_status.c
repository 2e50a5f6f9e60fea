// MPI_Request_get_status, _any, _all, _some: as the tests, but the requests stay.
#include "../check.h"

enum { N = 6 };

int main(int argc, char **argv)
{
    int out[N], in[N], flag = -1, index = -1, count = -1, indices[N];
    MPI_Request requests[N], sends[N], null = MPI_REQUEST_NULL;
    MPI_Status status, statuses[N];
    check_begin(&argc, &argv);
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    TRY(MPI_Request_get_status(null, &flag, &status));
    CHECK_INT(flag, 1);
    CHECK_EMPTY(status, MPI_ANY_SOURCE);
    TRY(MPI_Request_get_status_any(1, &null, &index, &flag, &status));
    CHECK_INT(flag, 1);
    CHECK_INT(index, MPI_UNDEFINED);
    TRY(MPI_Request_get_status_some(1, &null, &count, indices, statuses));
    CHECK_INT(count, MPI_UNDEFINED);
    TRY(MPI_Request_get_status_all(1, &null, &flag, statuses));
    CHECK_INT(flag, 1);
    for (int i = 0; i < N; i++)
        TRY(MPI_Irecv(&in[i], 1, MPI_INT, before, i, MPI_COMM_WORLD, &requests[i]));
    TRY(MPI_Request_get_status(requests[0], &flag, &status));
    CHECK_INT(flag, 0);
    TRY(MPI_Request_get_status_any(N, requests, &index, &flag, &status));
    CHECK_INT(flag, 0);
    TRY(MPI_Request_get_status_all(N, requests, &flag, statuses));
    CHECK_INT(flag, 0);
    TRY(MPI_Request_get_status_some(N, requests, &count, indices, statuses));
    CHECK_INT(count, 0);
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; i < N; i++) {
        out[i] = rank + 10 * i;
        TRY(MPI_Isend(&out[i], 1, MPI_INT, next, i, MPI_COMM_WORLD, &sends[i]));
    }
    do
        TRY(MPI_Request_get_status(requests[3], &flag, &status));
    while (!flag);
    CHECK_STATUS(status, before, 3);
    CHECK_INT(in[3], before + 30);
    TRY(MPI_Request_get_status_any(N, requests, &index, &flag, &status));
    CHECK_INT(flag, 1);
    CHECK(index >= 0 && index <= 3);
    CHECK_STATUS(status, before, index);
    do
        TRY(MPI_Request_get_status_all(N, requests, &flag, statuses));
    while (!flag);
    for (int i = 0; i < N; i++)
        CHECK_STATUS(statuses[i], before, i);
    TRY(MPI_Request_get_status_some(N, requests, &count, indices, statuses));
    CHECK_INT(count, N);
    for (int i = 0; i < N; i++) {
        CHECK_STATUS(statuses[i], before, indices[i]);
        // None was freed by being looked at.
        CHECK(requests[i] != MPI_REQUEST_NULL);
    }
    TRY(MPI_Waitall(N, requests, statuses));
    for (int i = 0; i < N; i++) {
        CHECK_STATUS(statuses[i], before, i);
        CHECK_INT(in[i], before + 10 * i);
    }
    TRY(MPI_Waitall(N, sends, MPI_STATUSES_IGNORE));
    return check_end();
}
