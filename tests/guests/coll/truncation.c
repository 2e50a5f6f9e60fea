// A collective whose counts don't match is an error where too much arrives, and not a crash; whoever has its data from there
// can't know.
// Four processes of MPICH wait forever for each other here, natively too.
// ranks: 2 3 8
// native: no (what a library does then is its own affair)
#include "../check.h"

int main(int argc, char **argv)
{
    int data[100] = {0};
    check_begin(&argc, &argv);
    int code = MPI_Bcast(data, rank == 0 ? 100 : 10, MPI_INT, 0, MPI_COMM_WORLD);
    int truncated = check_class(code) == MPI_ERR_TRUNCATE, all = 0;
    CHECK(truncated || code == MPI_SUCCESS);
    MPI_Allreduce(&truncated, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(all > 0);
    CHECK_INT(data[10], 0);
    return check_end();
}
