// MPI_Comm_idup, MPI_Comm_idup_with_info: several at a time, completed in any order.
#include "../check.h"

int main(int argc, char **argv)
{
    MPI_Comm dups[3];
    MPI_Request requests[3];
    int sum, result;
    check_begin(&argc, &argv);
    TRY(MPI_Comm_idup(MPI_COMM_WORLD, &dups[0], &requests[0]));
    TRY(MPI_Comm_idup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &dups[1], &requests[1]));
    TRY(MPI_Comm_idup(MPI_COMM_SELF, &dups[2], &requests[2]));
    // Other collectives may run meanwhile.
    TRY(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK_INT(sum, size * (size - 1) / 2);
    TRY(MPI_Wait(&requests[1], MPI_STATUS_IGNORE));
    TRY(MPI_Waitall(3, requests, MPI_STATUSES_IGNORE));
    for (int i = 0; i < 3; i++) {
        int one = 1, n;
        TRY(MPI_Comm_compare(i < 2 ? MPI_COMM_WORLD : MPI_COMM_SELF, dups[i], &result));
        CHECK_INT(result, MPI_CONGRUENT);
        TRY(MPI_Allreduce(&one, &n, 1, MPI_INT, MPI_SUM, dups[i]));
        CHECK_INT(n, i < 2 ? size : 1);
        TRY(MPI_Comm_free(&dups[i]));
    }
    return check_end();
}
