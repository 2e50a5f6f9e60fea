// Messages of many megabytes in both directions at a time.
// ranks: 1 2 4
#include "../check.h"

int main(int argc, char **argv)
{
    enum { COUNT = 3 << 20 };
    double *out = malloc(COUNT * sizeof *out), *in = malloc(COUNT * sizeof *in);
    MPI_Request requests[2];
    check_begin(&argc, &argv);
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    CHECK(out != NULL && in != NULL);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < COUNT; i++)
            out[i] = rank + round + 0.5 * i;
        if (round == 0) {
            TRY(MPI_Irecv(in, COUNT, MPI_DOUBLE, before, 0, MPI_COMM_WORLD, &requests[0]));
            TRY(MPI_Isend(out, COUNT, MPI_DOUBLE, next, 0, MPI_COMM_WORLD, &requests[1]));
        } else {
            TRY(MPI_Isend(out, COUNT, MPI_DOUBLE, next, 0, MPI_COMM_WORLD, &requests[1]));
            TRY(MPI_Irecv(in, COUNT, MPI_DOUBLE, before, 0, MPI_COMM_WORLD, &requests[0]));
        }
        TRY(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
        for (int i = 0; i < COUNT; i++)
            if (in[i] != before + round + 0.5 * i)
                CHECK_REAL(in[i], before + round + 0.5 * i);
    }
    free(out);
    free(in);
    return check_end();
}
