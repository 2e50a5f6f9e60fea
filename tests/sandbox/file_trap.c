// A rank traps while files are read into its memory and others write out of theirs, together and without waiting.
// engines: local
// ranks: 2 4 64
// exit: nonzero
// stderr: unreachable
// run: --dir {scratch}::/tmp
#include "hostile.h"
#include "../guests/own_number.h"

enum { N = 1 << 16 };

int main(int argc, char **argv)
{
    static int mine[N];
    char name[64];
    MPI_File own, together;
    MPI_Request requests[8];
    MPI_Datatype every;
    hostile_begin(&argc, &argv);
    // Names of this job's own.
    int mark = own_number();
    snprintf(name, sizeof name, "/tmp/rankine-trap-%d-%d-%d", rank, size, mark);
    TRY(MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &own));
    TRY(MPI_File_write_at(own, 0, mine, N, MPI_INT, MPI_STATUS_IGNORE));
    TRY(MPI_File_delete(name, MPI_INFO_NULL));
    snprintf(name, sizeof name, "/tmp/rankine-trap-all-%d-%d", size, mark);
    TRY(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &together));
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 0)
        TRY(MPI_File_delete(name, MPI_INFO_NULL));
    TRY(MPI_Type_create_resized(MPI_INT, 0, (MPI_Aint)sizeof(int) * size, &every));
    TRY(MPI_Type_commit(&every));
    TRY(MPI_File_set_view(together, (MPI_Offset)sizeof(int) * rank, MPI_INT, every, "native", MPI_INFO_NULL));
    for (int round = 0;; round++) {
        for (int i = 0; i < 8; i++)
            TRY(MPI_File_iread_at(own, 0, mine, N, MPI_INT, &requests[i]));
        if (round == 3 && rank == 1)
            __builtin_trap();
        TRY(MPI_File_write_all(together, mine, 4096, MPI_INT, MPI_STATUS_IGNORE));
        TRY(MPI_Waitall(8, requests, MPI_STATUSES_IGNORE));
    }
}
