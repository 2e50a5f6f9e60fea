// MPI_Abort while all ranks access each other's windows and files are read into and written out of their memories.
// engines: local
// ranks: 2 4 64
// exit: 7
// stderr: aborted the job with code 7
// stderr-not: unreachable
// run: --dir {scratch}::/tmp
#include "hostile.h"
#include "../guests/own_number.h"

enum { N = 1 << 16, REQUESTS = 4 };

int main(int argc, char **argv)
{
    static int mine[N], part[N], other[N];
    char name[64];
    MPI_File own, together;
    MPI_Win win;
    MPI_Request requests[REQUESTS];
    hostile_begin(&argc, &argv);
    int mark = own_number(), next = (rank + 1) % size;
    snprintf(name, sizeof name, "/tmp/rankine-abort-%d-%d-%d", rank, size, mark);
    TRY(MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &own));
    TRY(MPI_File_write_at(own, 0, mine, N, MPI_INT, MPI_STATUS_IGNORE));
    TRY(MPI_File_delete(name, MPI_INFO_NULL));
    snprintf(name, sizeof name, "/tmp/rankine-abort-all-%d-%d", size, mark);
    TRY(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &together));
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 0)
        TRY(MPI_File_delete(name, MPI_INFO_NULL));
    TRY(MPI_File_set_atomicity(together, 1));
    TRY(MPI_Win_create(part, sizeof part, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    TRY(MPI_Win_lock_all(0, win));
    for (int round = 0;; round++) {
        // The window is read from the file, and written to by others, at the same time.
        for (int i = 0; i < REQUESTS; i += 2) {
            TRY(MPI_File_iread_at(own, 0, part, N, MPI_INT, &requests[i]));
            TRY(MPI_File_iwrite_at(together, 0, mine, N, MPI_INT, &requests[i + 1]));
        }
        TRY(MPI_Put(mine, N, MPI_INT, next, 0, N, MPI_INT, win));
        TRY(MPI_Accumulate(mine, 5000, MPI_INT, next, 0, 5000, MPI_INT, MPI_SUM, win));
        if (round == 3 && rank == size - 1)
            MPI_Abort(MPI_COMM_WORLD, 7);
        TRY(MPI_Get(other, N, MPI_INT, next, 0, N, MPI_INT, win));
        TRY(MPI_Win_flush_all(win));
        TRY(MPI_Waitall(REQUESTS, requests, MPI_STATUSES_IGNORE));
    }
}
