// Many nonblocking collectives at a time, on the same communicator and on others, completed in any order, with computing between.
#include "../check.h"

enum { N = 12 };

int main(int argc, char **argv)
{
    int out[N][8], in[N][8 * 8];
    MPI_Request requests[N];
    MPI_Comm other;
    check_begin(&argc, &argv);
    TRY(MPI_Comm_dup(MPI_COMM_WORLD, &other));
    for (int round = 0; round < 20; round++) {
        for (int n = 0; n < N; n++) {
            MPI_Comm comm = n % 3 ? MPI_COMM_WORLD : other;
            for (int i = 0; i < 8; i++)
                out[n][i] = rank + n * 10 + i;
            switch (n % 4) {
            case 0: TRY(MPI_Iallreduce(out[n], in[n], 8, MPI_INT, MPI_SUM, comm, &requests[n])); break;
            case 1: TRY(MPI_Iallgather(out[n], 1, MPI_INT, in[n], 1, MPI_INT, comm, &requests[n])); break;
            case 2: TRY(MPI_Ibcast(out[n], 8, MPI_INT, n % size, comm, &requests[n])); break;
            case 3: TRY(MPI_Ibarrier(comm, &requests[n])); break;
            }
        }
        if (round % 2)
            TRY(MPI_Waitall(N, requests, MPI_STATUSES_IGNORE));
        else
            for (int n = N - 1; n >= 0; n--)
                TRY(MPI_Wait(&requests[n], MPI_STATUS_IGNORE));
        for (int n = 0; n < N; n++)
            for (int i = 0; i < 8; i++)
                switch (n % 4) {
                case 0: CHECK_INT(in[n][i], size * (size - 1) / 2 + size * (n * 10 + i)); break;
                case 1: CHECK_INT(in[n][i % size], i % size + n * 10); break;
                case 2: CHECK_INT(out[n][i], n % size + n * 10 + i); break;
                }
    }
    TRY(MPI_Comm_free(&other));
    return check_end();
}
