// Thousands of small messages before the receiver looks: none is lost, none overtakes another.
// native: 1 2
#include "../check.h"

enum { MESSAGES = 5000 };

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    if (rank != 0)
        for (int n = 0; n < MESSAGES; n++)
            TRY(MPI_Send(&n, 1, MPI_INT, 0, 1, MPI_COMM_WORLD));
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 0)
        for (int from = size - 1; from > 0; from--)
            for (int n = 0; n < MESSAGES; n++) {
                int value = -1;
                TRY(MPI_Recv(&value, 1, MPI_INT, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
                CHECK_INT(value, n);
            }
    // The other way round: all receives are posted before the first send.
    static int in[MESSAGES];
    static MPI_Request requests[MESSAGES];
    int from = rank == 0 ? size - 1 : rank - 1, to = (rank + 1) % size;
    for (int n = 0; n < MESSAGES; n++)
        TRY(MPI_Irecv(&in[n], 1, MPI_INT, from, n % 100, MPI_COMM_WORLD, &requests[n]));
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    for (int n = 0; n < MESSAGES; n++)
        TRY(MPI_Send(&n, 1, MPI_INT, to, n % 100, MPI_COMM_WORLD));
    TRY(MPI_Waitall(MESSAGES, requests, MPI_STATUSES_IGNORE));
    for (int n = 0; n < MESSAGES; n++)
        CHECK_INT(in[n], n);
    return check_end();
}
