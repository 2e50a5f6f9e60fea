// The empty status, MPI_ERROR included, wherever no request is active; other calls on one request leave MPI_ERROR alone.
// ranks: 1 2
#include "../check.h"

static MPI_Status rubbish(void)
{
    MPI_Status status;
    memset(&status, 0x5a, sizeof status);
    return status;
}

static void check_empty(const MPI_Status *status)
{
    int cancelled = 1, count = -1;
    CHECK_INT(status->MPI_SOURCE, MPI_ANY_SOURCE);
    CHECK_INT(status->MPI_TAG, MPI_ANY_TAG);
    CHECK_INT(status->MPI_ERROR, MPI_SUCCESS);
    TRY(MPI_Test_cancelled(status, &cancelled));
    CHECK_INT(cancelled, 0);
    TRY(MPI_Get_count(status, MPI_INT, &count));
    CHECK_INT(count, 0);
}

/* One request that is null or inactive. */
static void one(MPI_Request request)
{
    MPI_Request was = request, list[2] = {MPI_REQUEST_NULL, request};
    MPI_Status status = rubbish(), statuses[2] = {rubbish(), rubbish()};
    int flag = 0, index = 0;
    TRY(MPI_Wait(&request, &status));
    check_empty(&status);
    status = rubbish();
    TRY(MPI_Test(&request, &flag, &status));
    CHECK_INT(flag, 1);
    check_empty(&status);
    status = rubbish();
    TRY(MPI_Request_get_status(request, &flag, &status));
    CHECK_INT(flag, 1);
    check_empty(&status);
    status = rubbish();
    TRY(MPI_Waitany(2, list, &index, &status));
    CHECK_INT(index, MPI_UNDEFINED);
    check_empty(&status);
    status = rubbish();
    TRY(MPI_Testany(2, list, &index, &flag, &status));
    CHECK_INT(index, MPI_UNDEFINED);
    CHECK_INT(flag, 1);
    check_empty(&status);
    status = rubbish();
    TRY(MPI_Waitall(2, list, statuses));
    check_empty(&statuses[0]);
    check_empty(&statuses[1]);
    statuses[0] = statuses[1] = rubbish();
    TRY(MPI_Testall(2, list, &flag, statuses));
    CHECK_INT(flag, 1);
    check_empty(&statuses[0]);
    check_empty(&statuses[1]);
    status = rubbish();
    TRY(MPI_Request_get_status_any(2, list, &index, &flag, &status));
    CHECK_INT(index, MPI_UNDEFINED);
    CHECK_INT(flag, 1);
    check_empty(&status);
    statuses[0] = statuses[1] = rubbish();
    TRY(MPI_Request_get_status_all(2, list, &flag, statuses));
    CHECK_INT(flag, 1);
    check_empty(&statuses[0]);
    check_empty(&statuses[1]);
    // No list.
    status = rubbish();
    TRY(MPI_Waitany(0, NULL, &index, &status));
    check_empty(&status);
    CHECK(request == was && list[1] == was);
}

int main(int argc, char **argv)
{
    int in = -1, error;
    MPI_Request request;
    MPI_Status status = rubbish();
    check_begin(&argc, &argv);
    error = status.MPI_ERROR;
    one(MPI_REQUEST_NULL);
    TRY(MPI_Send_init(&rank, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request));
    one(request);
    TRY(MPI_Start(&request));
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
    one(request);
    TRY(MPI_Request_free(&request));
    TRY(MPI_Recv_init(&in, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, &request));
    one(request);
    TRY(MPI_Request_free(&request));
    if (embedded()) { // MPICH 5.0 ends the process that asks about it.
        TRY(MPI_Psend_init(&rank, 1, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request));
        one(request);
        TRY(MPI_Request_free(&request));
    }
    // A receive from nobody is active, and tells of nobody.
    TRY(MPI_Irecv(&in, 1, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &request));
    TRY(MPI_Wait(&request, &status));
    CHECK_INT(status.MPI_SOURCE, MPI_PROC_NULL);
    CHECK_INT(status.MPI_TAG, MPI_ANY_TAG);
    CHECK_INT(status.MPI_ERROR, error);
    CHECK_COUNT(status, MPI_INT, 0);
    // A message, a send: MPI_ERROR is nobody's but the program's.
    status = rubbish();
    TRY(MPI_Isend(&rank, 1, MPI_INT, rank, 4, MPI_COMM_WORLD, &request));
    TRY(MPI_Recv(&in, 1, MPI_INT, rank, 4, MPI_COMM_WORLD, &status));
    CHECK_INT(status.MPI_ERROR, error);
    status = rubbish();
    TRY(MPI_Wait(&request, &status));
    CHECK_INT(status.MPI_ERROR, error);
    return check_end();
}
