// A second thread writes made-up error codes into statuses while calls complete requests that fail: they are not taken for
// codes that the calls have returned, so a library never looks for their texts.
// ranks: 1 2
// engines: mpi
// cc: -pthread
#include "hostile.h"
#include <pthread.h>
#include <stdatomic.h>

enum { N = 64, ROUNDS = 100, MADE_UP = 0x0007f003 };

static MPI_Status statuses[N];
static atomic_int started, over;

static void *make_up(void *argument)
{
    started = 1;
    while (!over)
        for (int i = 0; i < N; i++)
            *(volatile int *)&statuses[i].MPI_ERROR = MADE_UP;
    return argument;
}

/* Begins receives whose messages are longer, and have been sent by then. */
static void begin(int count, MPI_Request requests[])
{
    static int in[N];
    static const int out[2] = {1, 2};
    MPI_Request sends[N];
    for (int i = 0; i < count; i++)
        TRY(MPI_Irecv(&in[i], 1, MPI_INT, 0, i, MPI_COMM_SELF, &requests[i]));
    for (int i = 0; i < count; i++)
        TRY(MPI_Isend(out, 2, MPI_INT, 0, i, MPI_COMM_SELF, &sends[i]));
    TRY(MPI_Waitall(count, sends, MPI_STATUSES_IGNORE));
}

int main(int argc, char **argv)
{
    static char text[MPI_MAX_ERROR_STRING];
    MPI_Request requests[N];
    pthread_t thread;
    int indices[N], done = 0, length = -1, code;
    check_begin_threads(&argc, &argv, MPI_THREAD_SERIALIZED);
    set_canaries();
    FAILS(MPI_Error_string(MADE_UP, text, &length), MPI_ERR_ARG);
    CHECK_INT(pthread_create(&thread, NULL, make_up, NULL), 0);
    while (!started) {}
    for (int round = 0; round < ROUNDS; round++) {
        begin(N, requests);
        code = round % 2 ? MPI_Waitall(N, requests, statuses) : MPI_Waitsome(N, requests, &done, indices, statuses);
        CHECK_INT(check_class(code), MPI_ERR_IN_STATUS);
        FAILS(MPI_Error_string(MADE_UP, text, &length), MPI_ERR_ARG);
        FAILS(MPI_Error_class(MADE_UP, &length), MPI_ERR_ARG);
    }
    over = 1;
    CHECK_INT(pthread_join(thread, NULL), 0);

    // What the library has written arrives, and may be asked about.
    begin(1, requests);
    FAILS(MPI_Waitall(1, requests, statuses), MPI_ERR_IN_STATUS);
    CHECK_INT(check_class(statuses[0].MPI_ERROR), MPI_ERR_TRUNCATE);
    TRY(MPI_Error_string(statuses[0].MPI_ERROR, text, &length));
    CHECK(length > 0 && length == (int)strlen(text));
    still_fine();
    return check_end();
}
