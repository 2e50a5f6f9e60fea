// Collectives that go on after their call and that other ranks never join: a library works on copies of their buffers, which count as the rank's
// memory in all of their forms, and are given back when the requests are.
// ranks: 2
// engines: mpi
// run: --memory-limit 64M
// peak: limits + 96
// exit: 7
#include "variations.h"

enum { BYTES = 16 << 20, MOST = 64 };
static char from[BYTES], to[BYTES];
static MPI_Request all[MOST];

/* One more of a kind. Rank 1 joins none of them. */
static int begin(int way, MPI_Request *request)
{
    const int n = BYTES / 8, half = n / 2, counts[2] = {half, half}, places[2] = {0, half};
    const MPI_Comm comm = MPI_COMM_WORLD;
    int code = MPI_SUCCESS;
    switch (way) {
    case 0: return MPI_Ireduce(from, to, n, MPI_INT, MPI_SUM, 0, comm, request);
    case 1: return MPI_Iallreduce(from, to, n, MPI_INT, MPI_SUM, comm, request);
    case 2: return MPI_Iallreduce(MPI_IN_PLACE, to, n, MPI_INT, MPI_SUM, comm, request);
    case 3: return MPI_Iscan(from, to, n, MPI_INT, MPI_SUM, comm, request);
    case 4: return MPI_Iexscan(from, to, n, MPI_INT, MPI_SUM, comm, request);
    case 5: return MPI_Ireduce_scatter(from, to, counts, MPI_INT, MPI_SUM, comm, request);
    case 6: return MPI_Ireduce_scatter_block(from, to, half, MPI_INT, MPI_SUM, comm, request);
    case 7: return MPI_Iallgather(from, half, MPI_INT, to, half, MPI_INT, comm, request);
    case 8: return MPI_Ialltoallv(from, counts, places, MPI_INT, to, counts, places, MPI_INT, comm, request);
    case 9: return MPI_Ialltoall(MPI_IN_PLACE, half, MPI_INT, to, half, MPI_INT, comm, request);
    case 10: return MPI_Ibcast(to, n, MPI_INT, 0, comm, request);
    case 11: code = MPI_Allreduce_init(from, to, n, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, request); break;
    case 12: code = MPI_Reduce_init(from, to, n, MPI_INT, MPI_SUM, 0, comm, MPI_INFO_NULL, request); break;
    default: code = MPI_Allgather_init(from, half, MPI_INT, to, half, MPI_INT, comm, MPI_INFO_NULL, request);
    }
    return code == MPI_SUCCESS ? MPI_Start(request) : code;
}

int main(int argc, char **argv)
{
    int begun = 0;
    hostile_begin(&argc, &argv);
    // As many of any kind as there is room for. Those that were refused leave nothing behind.
    for (int way = 0; way < 14 && rank == 0; way++) {
        int code = MPI_SUCCESS;
        for (int i = 0; i < 12 && code == MPI_SUCCESS && begun < MOST; i++) {
            code = begin(way, &all[begun]);
            begun += code == MPI_SUCCESS;
        }
        FAILS(code, MPI_ERR_NO_MEM);
        CHECK(begun < 12);
    }
    if (rank == 0)
        MPI_Abort(MPI_COMM_WORLD, 7);
    TRY(MPI_Recv(to, 1, MPI_CHAR, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    return hostile_end();
}
