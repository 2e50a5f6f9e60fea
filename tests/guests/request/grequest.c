// MPI_Grequest_start, MPI_Grequest_complete: an operation of the program's own, with its query, free and cancel callbacks.
#include "../check.h"

typedef struct {
    int queried, freed, cancelled, was_complete;
} Operation;

static int query(void *state, MPI_Status *status)
{
    Operation *operation = state;
    operation->queried++;
    status->MPI_SOURCE = 3;
    status->MPI_TAG = 4;
    TRY(MPI_Status_set_elements(status, MPI_INT, 5));
    TRY(MPI_Status_set_cancelled(status, operation->cancelled > 0));
    return MPI_SUCCESS;
}

static int release(void *state)
{
    ((Operation *)state)->freed++;
    return MPI_SUCCESS;
}

static int cancel(void *state, int complete)
{
    Operation *operation = state;
    operation->cancelled++;
    operation->was_complete = complete;
    return MPI_SUCCESS;
}

static void check_status(MPI_Status status)
{
    count_t count;
    CHECK_STATUS(status, 3, 4);
    TRY(MPI_Get_count(&status, MPI_INT, &count));
    CHECK_INT(count, 5);
}

int main(int argc, char **argv)
{
    Operation operation = {0};
    MPI_Request request, two[2];
    MPI_Status status, statuses[2];
    int flag, value = -1;
    check_begin(&argc, &argv);
    TRY(MPI_Grequest_start(query, release, cancel, &operation, &request));
    TRY(MPI_Test(&request, &flag, &status));
    CHECK_INT(flag, 0);
    TRY(MPI_Grequest_complete(request));
    TRY(MPI_Request_get_status(request, &flag, &status));
    CHECK_INT(flag, 1);
    check_status(status);
    CHECK_INT(operation.freed, 0);
    TRY(MPI_Wait(&request, &status));
    CHECK(request == MPI_REQUEST_NULL);
    check_status(status);
    CHECK(operation.queried >= 1);
    CHECK_INT(operation.freed, 1);
    CHECK_INT(operation.cancelled, 0);
    // Cancelled before it was complete, together with a message.
    operation = (Operation){0};
    TRY(MPI_Grequest_start(query, release, cancel, &operation, &two[0]));
    TRY(MPI_Irecv(&value, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, &two[1]));
    TRY(MPI_Cancel(&two[0]));
    CHECK_INT(operation.cancelled, 1);
    CHECK_INT(operation.was_complete, 0);
    TRY(MPI_Grequest_complete(two[0]));
    TRY(MPI_Send(&size, 1, MPI_INT, rank, 0, MPI_COMM_WORLD));
    TRY(MPI_Waitall(2, two, statuses));
    check_status(statuses[0]);
    TRY(MPI_Test_cancelled(&statuses[0], &flag));
    CHECK_INT(flag, 1);
    CHECK_STATUS(statuses[1], rank, 0);
    CHECK_INT(value, size);
    CHECK_INT(operation.freed, 1);
    // Freed before it is complete: the free callback runs when it completes.
    operation = (Operation){0};
    TRY(MPI_Grequest_start(query, release, cancel, &operation, &request));
    MPI_Request copy = request;
    TRY(MPI_Request_free(&request));
    CHECK_INT(operation.freed, 0);
    TRY(MPI_Grequest_complete(copy));
    CHECK_INT(operation.freed, 1);
    return check_end();
}
