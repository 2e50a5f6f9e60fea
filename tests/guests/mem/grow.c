// Memory grows while receives are pending: they arrive where they were posted.
#include "../check.h"

int main(int argc, char **argv)
{
    enum { N = 30, COUNT = 20000 };
    int *in[N], *out = malloc(COUNT * sizeof *out);
    void *blocks[N];
    MPI_Request requests[N], send;
    check_begin(&argc, &argv);
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    for (int n = 0; n < N; n++) {
        in[n] = malloc(COUNT * sizeof *in[n]);
        memset(in[n], -1, COUNT * sizeof *in[n]);
        TRY(MPI_Irecv(in[n], COUNT, MPI_INT, before, n, MPI_COMM_WORLD, &requests[n]));
        blocks[n] = malloc(1 << 20);
        memset(blocks[n], n, 1 << 20);
    }
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    for (int n = 0; n < N; n++) {
        for (int i = 0; i < COUNT; i++)
            out[i] = rank + n + i;
        TRY(MPI_Isend(out, COUNT, MPI_INT, next, n, MPI_COMM_WORLD, &send));
        TRY(MPI_Wait(&send, MPI_STATUS_IGNORE));
    }
    TRY(MPI_Waitall(N, requests, MPI_STATUSES_IGNORE));
    for (int n = 0; n < N; n++) {
        for (int i = 0; i < COUNT; i++)
            CHECK_INT(in[n][i], before + n + i);
        CHECK_INT(((char *)blocks[n])[12345], n);
        free(in[n]);
        free(blocks[n]);
    }
    free(out);
    return check_end();
}
