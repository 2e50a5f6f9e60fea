// Pending operations whose buffers have layouts of their own: some blocks, written out for several elements.
// ranks: 1 2
// engines: local
// bounded: mpi
// run: --memory-limit 64M
// peak: limits + 96
#include "quota.h"

enum { MOST = 1 << 18, ELEMENTS = 21 };
static MPI_Request requests[MOST];
static int buffer[1 << 10];

static void cancel_all(void)
{
    for (int i = 0; i < made; i++) {
        TRY(MPI_Cancel(&requests[i]));
        TRY(MPI_Wait(&requests[i], MPI_STATUS_IGNORE));
    }
}

static void free_all(void)
{
    for (int i = 0; i < made; i++)
        TRY(MPI_Request_free(&requests[i]));
}

int main(int argc, char **argv)
{
    int lengths[] = {1, 2, 1}, places[] = {0, 3, 9};
    MPI_Datatype type;
    hostile_begin(&argc, &argv);
    TRY(MPI_Type_indexed(3, lengths, places, MPI_INT, &type));
    TRY(MPI_Type_commit(&type));
    for (int round = 0; round < 2; round++) {
        EXHAUST(MOST, MPI_Irecv(buffer, ELEMENTS, type, rank, 5, MPI_COMM_WORLD, &requests[made]));
        cancel_all();
        EXHAUST(MOST, MPI_Recv_init(buffer, ELEMENTS, type, rank, 5, MPI_COMM_WORLD, &requests[made]));
        free_all();
        EXHAUST(MOST, MPI_Psend_init(buffer, 2, ELEMENTS / 2, type, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[made]));
        free_all();
        EXHAUST(MOST, MPI_Allgather_init(MPI_IN_PLACE, 0, type, buffer, ELEMENTS, type, MPI_COMM_SELF, MPI_INFO_NULL, &requests[made]));
        free_all();
    }
    TRY(MPI_Type_free(&type));
    return hostile_end();
}
