// Calls that start ranks and fail, one after the other, while another rank does not make them: what it has to be told of them is charged.
// engines: local
// Over an MPI library the launcher starts ranks, and says to all of them what came of it.
// ranks: 2
// run: --dir-ro {guests} --memory-limit 64M
// peak: limits + 96
#include "hostile.h"
#include <string.h>

enum { CALLS = 500, LONG = 1 << 20 };

static char name[LONG];

int main(int argc, char **argv)
{
    MPI_Comm made;
    check_begin(&argc, &argv);
    memset(name, 'x', sizeof name - 1);
    if (rank == 1)
        TRY(MPI_Recv(NULL, 0, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    for (int i = 0; i < CALLS; i++) {
        CHECK(MPI_Comm_spawn(name, MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &made, MPI_ERRCODES_IGNORE) != MPI_SUCCESS);
        CHECK(made == MPI_COMM_NULL);
    }
    if (rank == 0)
        TRY(MPI_Send(NULL, 0, MPI_INT, 1, 7, MPI_COMM_WORLD));
    return check_end();
}
