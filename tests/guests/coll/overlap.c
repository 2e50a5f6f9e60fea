// Collectives refuse a receive buffer that overlaps the send buffer; MPI_IN_PLACE is for that.
// ranks: 1 2 4
#include "../check.h"

int main(int argc, char **argv)
{
    enum { N = 4, ROOM = 64 };
    int a[ROOM] = { 0 }, b[ROOM] = { 0 };
    check_begin(&argc, &argv);
    int *mine = a + rank * N;
    FAILS(MPI_Allreduce(a, a, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    FAILS(MPI_Scan(a, a, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    FAILS(MPI_Alltoall(a, N, MPI_INT, a, N, MPI_INT, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    int counts[8], displs[8], bytes[8];
    MPI_Datatype types[8];
    for (int i = 0; i < size; i++) {
        counts[i] = N;
        displs[i] = i * N;
        bytes[i] = displs[i] * (int)sizeof(int);
        types[i] = MPI_INT;
    }
    FAILS(MPI_Alltoallv(a, counts, displs, MPI_INT, a, counts, displs, MPI_INT, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    FAILS(MPI_Alltoallw(a, counts, bytes, types, a, counts, bytes, types, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    if (embedded()) {
        // Other libraries compare the addresses only.
        FAILS(MPI_Allreduce(a, a + N - 1, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_ERR_BUFFER);
        FAILS(MPI_Allgather(mine, N, MPI_INT, a, N, MPI_INT, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    }
    if (size == 1) {
        FAILS(MPI_Reduce(a, a, N, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD), MPI_ERR_BUFFER);
        FAILS(MPI_Gather(a, N, MPI_INT, a, N, MPI_INT, 0, MPI_COMM_WORLD), MPI_ERR_BUFFER);
        FAILS(MPI_Scatter(a, N, MPI_INT, a, N, MPI_INT, 0, MPI_COMM_WORLD), MPI_ERR_BUFFER);
        FAILS(MPI_Reduce_local(a, a, N, MPI_INT, MPI_SUM), MPI_ERR_BUFFER);
        FAILS(MPI_Reduce_local(MPI_IN_PLACE, a, N, MPI_INT, MPI_SUM), MPI_ERR_BUFFER);
    }
    // Neighbours do not overlap, and nothing overlaps with nothing.
    TRY(MPI_Allreduce(a, a + N, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    TRY(MPI_Allgather(MPI_IN_PLACE, 0, MPI_INT, b, N, MPI_INT, MPI_COMM_WORLD));
    TRY(MPI_Allreduce(MPI_IN_PLACE, a, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    TRY(MPI_Alltoallv(a, counts, displs, MPI_INT, a + size * N, counts, displs, MPI_INT, MPI_COMM_WORLD));
    return check_end();
}
