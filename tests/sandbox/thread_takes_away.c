// Threads that take away what another one waits for, wait for the same, or meet twice at one place: an outcome for each, and
// nobody else notices. How they meet is left to chance: a run without fault proves little by itself.
// ranks: 1 2
// engines: local
// cc: -pthread
#include "hostile.h"
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { ROUNDS = 40 };

static MPI_Request request;
static MPI_Comm comm;
static int data[4] = {1, 2, 3, 4}, place[4];
static atomic_int started;

static void *wait_for_it(void *argument)
{
    MPI_Request mine = request;
    (void)argument;
    started++;
    MPI_Wait(&mine, MPI_STATUS_IGNORE);
    return NULL;
}

static void *receive(void *argument)
{
    (void)argument;
    started++;
    MPI_Recv(place, 4, MPI_INT, rank, 9, comm, MPI_STATUS_IGNORE);
    return NULL;
}

static void *meet(void *argument)
{
    int sum = -1;
    (void)argument;
    started++;
    TRY(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK_INT(sum, size * (size - 1) / 2);
    return NULL;
}

/* Two threads begin; both have come as far as they can before this one goes on. */
static void begin(pthread_t *threads, void *(*body)(void *), int round)
{
    started = 0;
    for (int i = 0; i < 2; i++)
        CHECK_INT(pthread_create(&threads[i], NULL, body, NULL), 0);
    while (started < 2)
        usleep(100);
    usleep(100 * (round % 5));
}

static void end(pthread_t *threads)
{
    for (int i = 0; i < 2; i++)
        CHECK_INT(pthread_join(threads[i], NULL), 0);
}

/* Two wait for one request, which a message completes; or this thread cancels it, or frees it. */
static void one_request(int round)
{
    pthread_t threads[2];
    int flag = 1;
    TRY(MPI_Irecv(place, 4, MPI_INT, rank, 7, MPI_COMM_WORLD, &request));
    begin(threads, wait_for_it, round);
    MPI_Request copy = request;
    if (round % 3 == 1)
        MPI_Cancel(&copy);
    if (round % 3 == 2)
        MPI_Request_free(&copy);
    TRY(MPI_Send(data, 4, MPI_INT, rank, 7, MPI_COMM_WORLD));
    end(threads);
    for (;;) {
        TRY(MPI_Iprobe(rank, 7, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
        if (!flag)
            break;
        TRY(MPI_Recv(place, 4, MPI_INT, rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    }
}

int main(int argc, char **argv)
{
    pthread_t threads[2];
    check_begin_threads(&argc, &argv, MPI_THREAD_MULTIPLE);
    set_canaries();
    for (int round = 0; round < ROUNDS; round++) {
        one_request(round);
        // The communicator of two receives goes while they wait.
        TRY(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
        begin(threads, receive, round);
        TRY(MPI_Send(data, 4, MPI_INT, rank, 9, comm));
        TRY(MPI_Send(data, 4, MPI_INT, rank, 9, comm));
        MPI_Comm gone = comm;
        TRY(MPI_Comm_free(&gone));
        end(threads);
        // Two collectives of one communicator at once.
        begin(threads, meet, round);
        end(threads);
    }
    return hostile_end();
}
