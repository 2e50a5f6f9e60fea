// Callbacks that run while several requests are completed, and start a later one of them again or free it.
// ranks: 1 2 4
// native: no (what a program must not do to requests that another call completes)
// engines: local
#include "../check.h"
#include <rankine.h>

enum { FIRST = 7, SECOND = 8, GO = 9, OBJECT = 10 };

struct object { int number; };

static int next, before, value;
// What the query function does to the persistent receive.
static MPI_Request receive;
static enum { NOTHING, RESTART, RESTART_AND_TELL, FREE } action;

static void act(void)
{
    MPI_Status status;
    int what = action;
    action = NOTHING;
    if (what == NOTHING)
        return;
    if (what == FREE) {
        TRY(MPI_Wait(&receive, MPI_STATUS_IGNORE));
        TRY(MPI_Start(&receive));
        MPI_Request copy = receive;
        TRY(MPI_Request_free(&copy));
        return;
    }
    TRY(MPI_Wait(&receive, &status));
    TRY(MPI_Start(&receive));
    if (what == RESTART_AND_TELL)
        TRY(MPI_Send(NULL, 0, MPI_INT, before, GO, MPI_COMM_WORLD));
}

static int query(void *state, MPI_Status *status)
{
    (void)state;
    act();
    status->MPI_SOURCE = 3;
    status->MPI_TAG = 4;
    TRY(MPI_Status_set_elements(status, MPI_INT, 0));
    return MPI_Status_set_cancelled(status, 0);
}

static int release(void *state)
{
    (void)state;
    return MPI_SUCCESS;
}

static int cancel(void *state, int complete)
{
    (void)state;
    (void)complete;
    return MPI_SUCCESS;
}

static int allocate(int n, const unsigned sizes[], void *addresses[])
{
    if (action == RESTART_AND_TELL) {
        action = NOTHING;
        TRY(MPI_Start(&receive));
        TRY(MPI_Send(NULL, 0, MPI_INT, before, GO, MPI_COMM_WORLD));
    }
    return Rankine_Allocate(n, sizes, addresses);
}

// A generalised request that is complete.
static MPI_Request generalised(void)
{
    MPI_Request request;
    TRY(MPI_Grequest_start(query, release, cancel, NULL, &request));
    TRY(MPI_Grequest_complete(request));
    return request;
}

static void send_next(int number, int tag)
{
    TRY(MPI_Send(&number, 1, MPI_INT, next, tag, MPI_COMM_WORLD));
}

// Starts the receive, whose first message is there when this returns.
static void first_message(void)
{
    int flag = 0;
    value = 0;
    TRY(MPI_Start(&receive));
    send_next(1, FIRST);
    while (!flag)
        TRY(MPI_Request_get_status(receive, &flag, MPI_STATUS_IGNORE));
    CHECK_INT(value, 1);
}

// The receive is active again; its second message completes it.
static void second_message(void)
{
    MPI_Status status;
    FAILS(MPI_Start(&receive), MPI_ERR_REQUEST);
    CHECK_INT(value, 1);
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    send_next(2, SECOND);
    TRY(MPI_Wait(&receive, &status));
    CHECK_STATUS(status, before, SECOND);
    CHECK_INT(value, 2);
}

// The second message leaves a while after the receive was started again.
static void answer_late(void)
{
    TRY(MPI_Recv(NULL, 0, MPI_INT, next, GO, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    for (double end = MPI_Wtime() + 0.05; MPI_Wtime() < end;)
        continue;
    send_next(2, SECOND);
}

static void tests_of_all(void)
{
    MPI_Request two[2];
    MPI_Status statuses[2];
    int flag;
    // A test does not wait for what has been started since: that stays as it is.
    first_message();
    two[0] = generalised();
    two[1] = receive;
    action = RESTART;
    TRY(MPI_Testall(2, two, &flag, statuses));
    CHECK_INT(flag, 1);
    CHECK_STATUS(statuses[0], 3, 4);
    CHECK(two[0] == MPI_REQUEST_NULL && two[1] == receive);
    second_message();
    // Looking does not either.
    first_message();
    two[0] = generalised();
    two[1] = receive;
    action = RESTART;
    TRY(MPI_Request_get_status_all(2, two, &flag, statuses));
    CHECK_INT(flag, 0);
    TRY(MPI_Wait(&two[0], MPI_STATUS_IGNORE));
    second_message();
}

static void some(void)
{
    MPI_Request two[2];
    MPI_Status statuses[2];
    int indices[2], count;
    first_message();
    two[0] = generalised();
    two[1] = receive;
    action = RESTART;
    TRY(MPI_Request_get_status_some(2, two, &count, indices, statuses));
    CHECK_INT(count, 1);
    CHECK_INT(indices[0], 0);
    TRY(MPI_Wait(&two[0], MPI_STATUS_IGNORE));
    second_message();
    first_message();
    two[0] = generalised();
    two[1] = receive;
    action = RESTART;
    TRY(MPI_Waitsome(2, two, &count, indices, statuses));
    CHECK_INT(count, 1);
    CHECK_INT(indices[0], 0);
    second_message();
}

// Rank 0 waits for what its array's word names by then; the rank before it sends it late.
static void wait_for_all(void)
{
    MPI_Request two[2];
    MPI_Status statuses[2];
    first_message();
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    if (next == 0)
        answer_late();
    if (rank != 0) {
        TRY(MPI_Wait(&receive, MPI_STATUS_IGNORE));
        return;
    }
    two[0] = generalised();
    two[1] = receive;
    action = RESTART_AND_TELL;
    TRY(MPI_Waitall(2, two, statuses));
    CHECK(two[0] == MPI_REQUEST_NULL && two[1] == receive);
    CHECK_STATUS(statuses[1], before, SECOND);
    CHECK_INT(value, 2);
}

// The allocator of an object receive starts a receive that was inactive when the wait began.
static void allocator_starts(void)
{
    struct object object = {rank}, *from = &object, *to = NULL;
    MPI_Request two[2];
    MPI_Status statuses[2];
    Rankine_Type type = RANKINE_DECLARE(struct object);
    Rankine_Type_define(type, 0, NULL);
    TRY(Rankine_Set_allocator(allocate, Rankine_Release));
    TRY(Rankine_Irecv(&to, 1, type, before, OBJECT, MPI_COMM_WORLD, &two[0]));
    TRY(Rankine_Send(&from, 1, type, next, OBJECT, MPI_COMM_WORLD));
    if (next == 0)
        answer_late();
    if (rank != 0) {
        TRY(MPI_Wait(&two[0], MPI_STATUS_IGNORE));
        CHECK_INT(to->number, before);
        return;
    }
    value = 0;
    two[1] = receive;
    action = RESTART_AND_TELL;
    TRY(MPI_Waitall(2, two, statuses));
    CHECK_INT(to->number, before);
    CHECK(two[0] == MPI_REQUEST_NULL && two[1] == receive);
    CHECK_STATUS(statuses[1], before, SECOND);
    CHECK_INT(value, 2);
}

// What a callback freed is an error of its place in the array.
static void freed(void)
{
    MPI_Request two[2];
    MPI_Status statuses[2];
    first_message();
    two[0] = generalised();
    two[1] = receive;
    action = FREE;
    FAILS(MPI_Waitall(2, two, statuses), MPI_ERR_IN_STATUS);
    CHECK_INT(statuses[0].MPI_ERROR, MPI_SUCCESS);
    CHECK_INT(check_class(statuses[1].MPI_ERROR), MPI_ERR_REQUEST);
    CHECK(two[1] == MPI_REQUEST_NULL);
    // It goes on by itself.
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    send_next(3, SECOND);
    for (volatile int *there = &value; *there != 3;)
        TRY(MPI_Iprobe(before, OBJECT, MPI_COMM_WORLD, &(int){0}, MPI_STATUS_IGNORE));
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    next = (rank + 1) % size;
    before = (rank + size - 1) % size;
    TRY(MPI_Recv_init(&value, 1, MPI_INT, before, MPI_ANY_TAG, MPI_COMM_WORLD, &receive));
    tests_of_all();
    some();
    if (size > 1) {
        wait_for_all();
        allocator_starts();
    }
    freed();
    return check_end();
}
