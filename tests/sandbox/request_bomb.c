// Receives without end: a quota again. When they are given back, everything works as before.
// ranks: 1 2
#include "hostile.h"

int main(int argc, char **argv)
{
    enum { MOST = 8 << 20 };
    int in, code = MPI_SUCCESS, n = 0;
    MPI_Comm dup;
    MPI_Request *requests = malloc(MOST * sizeof *requests);
    hostile_begin(&argc, &argv);
    TRY(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
    if (rank == 0) {
        while (n < MOST && (code = MPI_Irecv(&in, 1, MPI_INT, rank, 5, dup, &requests[n])) == MPI_SUCCESS)
            n++;
        FAILS(code, MPI_ERR_NO_MEM);
        for (int i = 0; i < n; i++) {
            TRY(MPI_Cancel(&requests[i]));
            TRY(MPI_Wait(&requests[i], MPI_STATUS_IGNORE));
        }
    }
    free(requests);
    TRY(MPI_Comm_free(&dup));
    return hostile_end();
}
