// Functions that a library calls while it completes requests write made-up error codes into the statuses of that very call:
// they are not taken for codes that the call has returned.
// ranks: 1 2
#include "hostile.h"

enum { MADE_UP = 0x0007f003, WAYS = 4 };

static MPI_Status statuses[2];

static void make_up(void)
{
    statuses[0].MPI_ERROR = statuses[1].MPI_ERROR = MADE_UP;
}

static int query(void *state, MPI_Status *status)
{
    (void)state;
    TRY(MPI_Status_set_elements(status, MPI_INT, 0));
    TRY(MPI_Status_set_cancelled(status, 0));
    status->MPI_SOURCE = status->MPI_TAG = MPI_UNDEFINED;
    status->MPI_ERROR = MADE_UP;
    make_up();
    return MPI_SUCCESS;
}

static int free_request(void *state)
{
    (void)state;
    make_up();
    return MPI_SUCCESS;
}

static int cancel_request(void *state, int complete)
{
    (void)state;
    (void)complete;
    return MPI_SUCCESS;
}

static int delete_attribute(MPI_Comm comm, int key, void *value, void *state)
{
    (void)comm;
    (void)key;
    (void)value;
    (void)state;
    make_up();
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    static char text[MPI_MAX_ERROR_STRING];
    static const int out[2] = {1, 2};
    static int in[2];
    int key, length = -1, count, indices[2];
    hostile_begin(&argc, &argv);
    TRY(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_attribute, &key, NULL));
    for (int way = 0; way < WAYS; way++) {
        MPI_Request requests[2], sends[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
        MPI_Comm comm;
        // The first fails: its message is longer. The second has a function of ours called.
        TRY(MPI_Irecv(&in[0], 1, MPI_INT, 0, 1, MPI_COMM_SELF, &requests[0]));
        TRY(MPI_Isend(out, 2, MPI_INT, 0, 1, MPI_COMM_SELF, &sends[0]));
        if (way < 2) {
            TRY(MPI_Grequest_start(query, free_request, cancel_request, NULL, &requests[1]));
            TRY(MPI_Grequest_complete(requests[1]));
        } else {
            // The communicator ends with the last that goes on there.
            TRY(MPI_Comm_dup(MPI_COMM_SELF, &comm));
            TRY(MPI_Comm_set_attr(comm, key, in));
            TRY(MPI_Irecv(&in[1], 1, MPI_INT, 0, 1, comm, &requests[1]));
            TRY(MPI_Isend(out, 1, MPI_INT, 0, 1, comm, &sends[1]));
            TRY(MPI_Comm_free(&comm));
        }
        TRY(MPI_Waitall(2, sends, MPI_STATUSES_IGNORE));
        if (way % 2)
            REFUSED(MPI_Waitall(2, requests, statuses));
        else
            MPI_Waitsome(2, requests, &count, indices, statuses);
        FAILS(MPI_Error_string(MADE_UP, text, &length), MPI_ERR_ARG);
        FAILS(MPI_Error_class(MADE_UP, &length), MPI_ERR_ARG);
    }
    TRY(MPI_Comm_free_keyval(&key));
    return hostile_end();
}
