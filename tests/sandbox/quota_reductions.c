// Nonblocking reductions that the other ranks never join: each needs memory of the host's for its operands, and when
// there is none it fails: at once, or when it is waited for.
// ranks: 2 3
// engines: local
// bounded: mpi
// run: --memory-limit 64M
// exit: 7
// peak: limits + 96
#include "hostile.h"

enum { COUNT = 1 << 20, MOST = 400 };
static int from[2 * COUNT], to[COUNT];

int main(int argc, char **argv)
{
    static MPI_Request requests[2 * MOST];
    int failed = 0, flag = 0;
    MPI_Status status;
    hostile_begin(&argc, &argv);
    if (rank == 0) {
        for (int i = 0; i < MOST; i++) {
            failed += MPI_Ireduce_scatter_block(from, to, COUNT / size, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[2 * i]) != MPI_SUCCESS;
            failed += MPI_Igather(from, COUNT / 2, MPI_INT, to, COUNT / 2, MPI_INT, 1, MPI_COMM_WORLD, &requests[2 * i + 1]) != MPI_SUCCESS;
        }
        for (int i = 0; i < MOST; i++)
            failed += MPI_Test(&requests[2 * i], &flag, &status) != MPI_SUCCESS;
        CHECK(failed > 0);
        MPI_Abort(MPI_COMM_WORLD, 7);
    }
    TRY(MPI_Recv(to, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    return hostile_end();
}
