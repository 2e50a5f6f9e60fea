// A handle of another rank is a number without meaning here, or a handle of our own: never another rank's object.
// ranks: 2 4
#include "hostile.h"

int main(int argc, char **argv)
{
    MPI_Datatype type, all[16];
    MPI_Request request, requests[16];
    int in = -1, n;
    hostile_begin(&argc, &argv);
    // Each rank makes as many types as its number says: the last handle of the last rank is unknown to rank 0.
    for (int i = 0; i <= rank; i++)
        TRY(MPI_Type_contiguous(10 + rank, MPI_INT, &type));
    TRY(MPI_Allgather(&type, sizeof type, MPI_BYTE, all, sizeof type, MPI_BYTE, MPI_COMM_WORLD));
    if (rank == 0)
        FAILS(MPI_Type_size(all[size - 1], &n), MPI_ERR_TYPE);
    else {
        TRY(MPI_Type_size(type, &n));
        CHECK_INT(n, (10 + rank) * 4);
    }
    TRY(MPI_Irecv(&in, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD, &request));
    for (int i = 0; i < 3 * rank; i++) {
        MPI_Request other;
        TRY(MPI_Irecv(&n, 1, MPI_INT, 0, 55, MPI_COMM_SELF, &other));
        TRY(MPI_Cancel(&other));
        TRY(MPI_Wait(&other, MPI_STATUS_IGNORE));
        if (i == 0)
            TRY(MPI_Cancel(&request));
        if (i == 0) {
            TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
            TRY(MPI_Irecv(&in, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD, &request));
        }
    }
    TRY(MPI_Allgather(&request, sizeof request, MPI_BYTE, requests, sizeof request, MPI_BYTE, MPI_COMM_WORLD));
    // Cancelling with somebody else's number is refused, or cancels our own; theirs still arrives.
    if (rank == 0 && requests[size - 1] != request)
        REFUSED(MPI_Cancel(&requests[size - 1]));
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    TRY(MPI_Send(&rank, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD));
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_INT(in, (rank + 1) % size);
    return hostile_end();
}
