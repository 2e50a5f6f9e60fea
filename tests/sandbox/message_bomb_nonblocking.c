// Nonblocking messages without end that nobody receives: the sender runs into a quota, and is told.
// ranks: 2
// engines: local
// Over an MPI library the same quotas hold, but a million of its objects take minutes.
#include "hostile.h"

int main(int argc, char **argv)
{
    enum { MOST = 20 << 20 };
    int value = 1, code = MPI_SUCCESS, n = 0;
    MPI_Comm dup;
    MPI_Request request;
    hostile_begin(&argc, &argv);
    TRY(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
    if (rank == 1) {
        while (n < MOST && (code = MPI_Isend(&value, 1, MPI_INT, 0, 3, dup, &request)) == MPI_SUCCESS)
            n++;
        FAILS(code, MPI_ERR_NO_MEM);
    }
    return hostile_end();
}
