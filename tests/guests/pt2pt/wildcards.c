// MPI_ANY_SOURCE and MPI_ANY_TAG: every message arrives once, and its status says whose it was.
#include "../check.h"

int main(int argc, char **argv)
{
    enum { EACH = 50 };
    check_begin(&argc, &argv);
    if (rank == 0) {
        int *next = calloc(size, sizeof *next), value;
        MPI_Status status;
        for (int n = 0; n < EACH * (size - 1); n++) {
            TRY(MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status));
            int from = status.MPI_SOURCE;
            CHECK(from > 0 && from < size);
            // In the order in which its sender sent them.
            CHECK_INT(status.MPI_TAG, next[from] % 5);
            CHECK_INT(value, 1000 * from + next[from]);
            next[from]++;
        }
        for (int from = 1; from < size; from++)
            CHECK_INT(next[from], EACH);
        free(next);
    } else
        for (int n = 0; n < EACH; n++) {
            int value = 1000 * rank + n;
            TRY(MPI_Send(&value, 1, MPI_INT, 0, n % 5, MPI_COMM_WORLD));
        }
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    // Posted receives: the wildcard that came first takes the first message, though a later receive names it.
    int first = -1, second = -1, third = -1, out[3] = {1, 2, 3};
    MPI_Request requests[3];
    MPI_Status statuses[3];
    TRY(MPI_Irecv(&first, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &requests[0]));
    TRY(MPI_Irecv(&second, 1, MPI_INT, 0, 5, MPI_COMM_SELF, &requests[1]));
    TRY(MPI_Irecv(&third, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_SELF, &requests[2]));
    for (int i = 0; i < 3; i++)
        TRY(MPI_Send(&out[i], 1, MPI_INT, 0, 5, MPI_COMM_SELF));
    TRY(MPI_Waitall(3, requests, statuses));
    CHECK_INT(first, 1);
    CHECK_INT(second, 2);
    CHECK_INT(third, 3);
    CHECK_STATUS(statuses[0], 0, 5);
    return check_end();
}
