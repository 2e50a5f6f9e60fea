// MPI_Waitsome, MPI_Testsome: at least one, every one once; MPI_UNDEFINED when none is active.
#include "../check.h"

enum { N = 24 };

int main(int argc, char **argv)
{
    int out[N], in[N], count = -1, indices[N], seen[N];
    MPI_Request requests[N], sends[N];
    MPI_Status statuses[N];
    check_begin(&argc, &argv);
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    for (int i = 0; i < N; i++)
        requests[i] = MPI_REQUEST_NULL;
    TRY(MPI_Waitsome(N, requests, &count, indices, statuses));
    CHECK_INT(count, MPI_UNDEFINED);
    TRY(MPI_Testsome(N, requests, &count, indices, statuses));
    CHECK_INT(count, MPI_UNDEFINED);
    for (int round = 0; round < 3; round++) {
        memset(seen, 0, sizeof seen);
        for (int i = 0; i < N; i++)
            TRY(MPI_Irecv(&in[i], 1, MPI_INT, before, i, MPI_COMM_WORLD, &requests[i]));
        TRY(MPI_Testsome(N, requests, &count, indices, statuses));
        CHECK_INT(count, 0);
        TRY(MPI_Barrier(MPI_COMM_WORLD));
        for (int i = 0; i < N; i++) {
            out[i] = rank + i * i;
            TRY(MPI_Isend(&out[i], 1, MPI_INT, next, i, MPI_COMM_WORLD, &sends[i]));
        }
        for (int done = 0; done < N; done += count) {
            if (round == 0)
                TRY(MPI_Testsome(N, requests, &count, indices, statuses));
            else
                TRY(MPI_Waitsome(N, requests, &count, indices, round == 1 ? statuses : MPI_STATUSES_IGNORE));
            CHECK(count >= (round != 0) && count <= N - done);
            for (int n = 0; n < count; n++) {
                int i = indices[n];
                CHECK(i >= 0 && i < N);
                CHECK_INT(seen[i]++, 0);
                CHECK(requests[i] == MPI_REQUEST_NULL);
                if (round != 2)
                    CHECK_STATUS(statuses[n], before, i);
                CHECK_INT(in[i], before + i * i);
            }
        }
        TRY(MPI_Waitall(N, sends, MPI_STATUSES_IGNORE));
        TRY(MPI_Barrier(MPI_COMM_WORLD));
    }
    return check_end();
}
