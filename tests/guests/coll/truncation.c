// A collective whose counts don't match is an error where too much arrives, and not a crash.
// Four processes of MPICH wait forever for each other here, natively too.
// ranks: 2 3 8
// native: no (what a library does then is its own affair)
#include "../check.h"

int main(int argc, char **argv)
{
    int data[100] = {0};
    check_begin(&argc, &argv);
    int code = MPI_Bcast(data, rank == 0 ? 100 : 10, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == size - 1)
        CHECK_INT(check_class(code), MPI_ERR_TRUNCATE);
    CHECK_INT(data[10], 0);
    return check_end();
}
