// MPI_THREAD_MULTIPLE: threads of a rank send, receive, probe, wait, test and meet at once.
// ranks: 1 2 3
// cc: -pthread
#include "../check.h"
#include <pthread.h>
#include <stdatomic.h>

enum { THREADS = 4, ROUNDS = 60, LONG = 40000 };

static MPI_Comm comms[THREADS];
static MPI_Request general;
static atomic_int taken, talkers;

/* A number goes around the ring of ranks, on a tag of the thread's own: blocking, and by requests. */
static void around(int thread)
{
    const int next = (rank + 1) % size, before = (rank + size - 1) % size;
    for (int round = 0; round < ROUNDS; round++) {
        int number = round * THREADS + thread, got = -1, flag = 0;
        MPI_Request requests[2];
        MPI_Status statuses[2];
        TRY(MPI_Sendrecv(&number, 1, MPI_INT, next, thread, &got, 1, MPI_INT, before, thread, MPI_COMM_WORLD,
                         &statuses[0]));
        CHECK_INT(got, number);
        CHECK_INT(statuses[0].MPI_TAG, thread);
        got = -1;
        TRY(MPI_Irecv(&got, 1, MPI_INT, before, 100 + thread, MPI_COMM_WORLD, &requests[0]));
        TRY(MPI_Isend(&number, 1, MPI_INT, next, 100 + thread, MPI_COMM_WORLD, &requests[1]));
        if (round % 2)
            TRY(MPI_Waitall(2, requests, statuses));
        else
            while (!flag)
                TRY(MPI_Testall(2, requests, &flag, statuses));
        CHECK_INT(got, number);
    }
}

/* Messages too long to be buffered, which any thread of the next rank may take: what is probed is what is received. */
static void matched(int thread)
{
    static _Thread_local int data[LONG], place[LONG];
    const int next = (rank + 1) % size;
    MPI_Request request;
    for (int round = 0; round < 4; round++) {
        MPI_Message message;
        MPI_Status status;
        int count, from;
        for (int i = 0; i < LONG; i++)
            data[i] = thread * 10 + round;
        TRY(MPI_Isend(data, LONG - thread, MPI_INT, next, 200, MPI_COMM_WORLD, &request));
        TRY(MPI_Mprobe(MPI_ANY_SOURCE, 200, MPI_COMM_WORLD, &message, &status));
        TRY(MPI_Get_count(&status, MPI_INT, &count));
        from = LONG - count;
        CHECK(from >= 0 && from < THREADS);
        TRY(MPI_Mrecv(place, count, MPI_INT, &message, &status));
        CHECK_INT(place[0] / 10, from);
        CHECK_INT(place[count - 1], place[0]);
        TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
        taken++;
    }
}

/* Collectives of a communicator of the thread's own, blocking and not. */
static void meet(int thread)
{
    for (int round = 0; round < ROUNDS; round++) {
        int sum = rank + thread, all = -1, most = -1;
        MPI_Request request;
        TRY(MPI_Allreduce(&sum, &all, 1, MPI_INT, MPI_SUM, comms[thread]));
        CHECK_INT(all, size * (size - 1) / 2 + size * thread);
        TRY(MPI_Iallreduce(&sum, &most, 1, MPI_INT, MPI_MAX, comms[thread], &request));
        TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
        CHECK_INT(most, size - 1 + thread);
        TRY(MPI_Barrier(comms[thread]));
    }
}

/* Threads of one rank talk to each other through MPI: one waits for what the other is yet to send. */
static void within(int thread)
{
    const int other = thread ^ 1;
    for (int round = 0; round < ROUNDS; round++) {
        int number = round, got = -1;
        if (thread & 1)
            TRY(MPI_Ssend(&number, 1, MPI_INT, 0, 300 + thread, MPI_COMM_SELF));
        TRY(MPI_Recv(&got, 1, MPI_INT, 0, 300 + other, MPI_COMM_SELF, MPI_STATUS_IGNORE));
        CHECK_INT(got, round);
        if (!(thread & 1))
            TRY(MPI_Ssend(&number, 1, MPI_INT, 0, 300 + thread, MPI_COMM_SELF));
    }
}

static void *talk(void *argument)
{
    const int thread = (int)(size_t)argument;
    int is_main = 1;
    talkers++;
    TRY(MPI_Is_thread_main(&is_main));
    CHECK_INT(is_main, 0);
    around(thread);
    matched(thread);
    meet(thread);
    within(thread);
    return NULL;
}

static int query(void *state, MPI_Status *status)
{
    (void)state;
    MPI_Status_set_elements(status, MPI_INT, 7);
    MPI_Status_set_cancelled(status, 0);
    return MPI_SUCCESS;
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

/* Completes, from one thread, what another waits for: no message tells of it. */
static void *complete(void *argument)
{
    double until = MPI_Wtime() + 0.02;
    (void)argument;
    while (MPI_Wtime() < until)
        ;
    TRY(MPI_Grequest_complete(general));
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    MPI_Status status;
    int level, count;
    check_begin_threads(&argc, &argv, MPI_THREAD_MULTIPLE);
    TRY(MPI_Query_thread(&level));
    CHECK_INT(level, MPI_THREAD_MULTIPLE);
    for (int i = 0; i < THREADS; i++)
        TRY(MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]));
    for (int i = 0; i < THREADS; i++)
        CHECK_INT(pthread_create(&threads[i], NULL, talk, (void *)(size_t)i), 0);
    for (int i = 0; i < THREADS; i++)
        CHECK_INT(pthread_join(threads[i], NULL), 0);
    CHECK_INT(talkers, THREADS);
    CHECK_INT(taken, THREADS * 4);
    TRY(MPI_Grequest_start(query, release, cancel, NULL, &general));
    CHECK_INT(pthread_create(&threads[0], NULL, complete, NULL), 0);
    {
        MPI_Request request = general;
        TRY(MPI_Wait(&request, &status));
    }
    TRY(MPI_Get_elements(&status, MPI_INT, &count));
    CHECK_INT(count, 7);
    CHECK_INT(pthread_join(threads[0], NULL), 0);
    for (int i = 0; i < THREADS; i++)
        TRY(MPI_Comm_free(&comms[i]));
    return check_end();
}
