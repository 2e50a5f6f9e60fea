// A generalised request whose functions complete and free it once more; a request that stands twice in an array.
// ranks: 1 2
// engines: mpi
#include "hostile.h"

static MPI_Request generalised;
static int queries, frees;

static int on_query(void *state, MPI_Status *status)
{
    (void)state;
    MPI_Request same = generalised;
    MPI_Status_set_elements(status, MPI_BYTE, 0);
    MPI_Status_set_cancelled(status, 0);
    if (queries++ == 0) {
        FAILS(MPI_Wait(&same, MPI_STATUS_IGNORE), MPI_ERR_REQUEST);
        FAILS(MPI_Waitall(1, &same, MPI_STATUSES_IGNORE), MPI_ERR_REQUEST);
        FAILS(MPI_Request_free(&same), MPI_ERR_REQUEST);
    }
    return MPI_SUCCESS;
}

static int on_free(void *state)
{
    (void)state;
    frees++;
    return MPI_SUCCESS;
}

static int on_cancel(void *state, int complete)
{
    (void)state;
    (void)complete;
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    hostile_begin(&argc, &argv);
    for (int round = 0; round < 3; round++) {
        queries = frees = 0;
        TRY(MPI_Grequest_start(on_query, on_free, on_cancel, NULL, &generalised));
        TRY(MPI_Grequest_complete(generalised));
        MPI_Request mine = generalised;
        int flag = 0;
        if (round == 0) TRY(MPI_Wait(&mine, MPI_STATUS_IGNORE));
        if (round == 1) TRY(MPI_Waitall(1, &mine, MPI_STATUSES_IGNORE));
        if (round == 2) {
            TRY(MPI_Request_get_status(mine, &flag, MPI_STATUS_IGNORE));
            CHECK(flag);
            TRY(MPI_Wait(&mine, MPI_STATUS_IGNORE));
        }
        CHECK(queries > 0);
        CHECK_INT(frees, 1);
    }

    // Freed before it is complete: only the program's completion may name it, and once.
    TRY(MPI_Grequest_start(on_query, on_free, on_cancel, NULL, &generalised));
    MPI_Request kept = generalised, stale = generalised;
    frees = 0;
    TRY(MPI_Request_free(&generalised));
    FAILS(MPI_Request_free(&stale), MPI_ERR_REQUEST);
    FAILS(MPI_Wait(&stale, MPI_STATUS_IGNORE), MPI_ERR_REQUEST);
    FAILS(MPI_Waitall(1, &stale, MPI_STATUSES_IGNORE), MPI_ERR_REQUEST);
    TRY(MPI_Grequest_complete(kept));
    FAILS(MPI_Grequest_complete(kept), MPI_ERR_REQUEST);
    CHECK_INT(frees, 1);

    int value = -1;
    MPI_Request twice[2];
    TRY(MPI_Irecv(&value, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, &twice[0]));
    twice[1] = twice[0];
    TRY(MPI_Send(&rank, 1, MPI_INT, rank, 0, MPI_COMM_WORLD));
    FAILS(MPI_Waitall(2, twice, MPI_STATUSES_IGNORE), MPI_ERR_REQUEST);
    TRY(MPI_Wait(&twice[0], MPI_STATUS_IGNORE));
    CHECK_INT(value, rank);
    TRY(MPI_Send_init(&rank, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &twice[0]));
    twice[1] = twice[0];
    FAILS(MPI_Startall(2, twice), MPI_ERR_REQUEST);
    TRY(MPI_Start(&twice[0]));
    TRY(MPI_Wait(&twice[0], MPI_STATUS_IGNORE));
    TRY(MPI_Request_free(&twice[0]));
    return hostile_end();
}
