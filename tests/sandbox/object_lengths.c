// Ranks that answer a collective of objects with plain calls, and lie about how much will come.
// ranks: 4
// engines: mpi
#include "hostile.h"
#include <rankine.h>

struct node { int value; struct node *next; };

int main(int argc, char **argv)
{
    hostile_begin(&argc, &argv);
    static const long long lies[][4] = {
        {0, 1 << 20, 0x7fffffffffffffff, 0x7fffffffffffffff - (1 << 20) + 2}, /* they sum up to little */
        {0, -1, 0, 0},
        {0, -0x7fffffffffffffff - 1, 5, 5},
    };
    struct node node = {1, NULL}, *root = &node, *came[8] = {NULL};
    Rankine_Type type = RANKINE_DECLARE(struct node);
    RANKINE_DEFINE(type, struct node, RANKINE_REFERENCE(next, type));
    for (unsigned i = 0; i < sizeof lies / sizeof *lies; i++) {
        long long lie = lies[i][rank];
        if (rank == 0) {
            REFUSED(Rankine_Gather(&root, 1, type, came, 8, NULL, 0, MPI_COMM_WORLD));
        } else {
            TRY(MPI_Gather(&lie, 1, MPI_INT64_T, NULL, 0, MPI_INT64_T, 0, MPI_COMM_WORLD));
        }
        TRY(MPI_Barrier(MPI_COMM_WORLD));
    }
    // A root that promises what nobody could hold: nothing is taken for it.
    long long promise = 1LL << 60;
    if (rank == 0) {
        TRY(MPI_Bcast(&promise, 1, MPI_INT64_T, 0, MPI_COMM_WORLD));
    } else {
        REFUSED(Rankine_Bcast(came, 8, type, 0, MPI_COMM_WORLD));
    }
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    // A plain message where objects are awaited, of nothing and of zeroes.
    static const char zeroes[100];
    for (int bytes = 0; bytes <= 100; bytes += 100) {
        MPI_Request request;
        TRY(Rankine_Irecv(came, 8, type, rank, 5, MPI_COMM_WORLD, &request));
        TRY(MPI_Send(zeroes, bytes, MPI_BYTE, rank, 5, MPI_COMM_WORLD));
        REFUSED(MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
    MPI_Request request;
    TRY(Rankine_Irecv(came, 8, type, rank, 6, MPI_COMM_WORLD, &request));
    TRY(MPI_Cancel(&request));
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
    // Requests that are given up: their images are sent, and their memory is given back.
    for (int i = 0; i < 200; i++) {
        TRY(Rankine_Isend(&root, 1, type, rank, 7, MPI_COMM_WORLD, &request));
        TRY(MPI_Request_free(&request));
        TRY(Rankine_Recv(came, 8, type, rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK_INT(came[0]->value, 1);
        free(came[0]);
    }
    return hostile_end();
}
