// Threads that take all that there is of small things, one after the other, and give back all but a few: what lies free between these counts as
// nobody's, and goes back to the system.
// ranks: 1
// engines: local
// cc: -pthread
// run: --memory-limit 128M
// peak: 320
#include "quota.h"
#include <pthread.h>
#include <unistd.h>

enum { THREADS = 6, MOST = 1 << 14, KEPT = 1 << 10, PAUSE = 500000 };
static MPI_Info all[MOST];
static pthread_barrier_t turn;

/* As many small texts as there is room for, of which one in a thousand stays. */
static void take_and_give_back(void)
{
    char key[32], value[400];
    int code = MPI_SUCCESS, n = 0;
    memset(value, 'v', sizeof value - 1);
    value[sizeof value - 1] = 0;
    for (; n < MOST && code == MPI_SUCCESS; n++) {
        TRY(MPI_Info_create(&all[n]));
        for (int i = 0; i < 40 && code == MPI_SUCCESS; i++) {
            snprintf(key, sizeof key, "key %d", i);
            code = MPI_Info_set(all[n], key, value);
        }
    }
    says_why(__FILE__, __LINE__, code);
    for (int i = 0; i < n; i++)
        if (i % KEPT != KEPT - 1)
            TRY(MPI_Info_free(&all[i]));
}

static void *take_turns(void *number)
{
    for (int round = 0; round < THREADS; round++) {
        if (round == *(int *)number) {
            take_and_give_back();
            // Who looks at the process comes by.
            usleep(PAUSE);
        }
        pthread_barrier_wait(&turn);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    int numbers[THREADS];
    check_begin_threads(&argc, &argv, MPI_THREAD_MULTIPLE);
    set_canaries();
    CHECK_INT(pthread_barrier_init(&turn, NULL, THREADS), 0);
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        CHECK_INT(pthread_create(&threads[i], NULL, take_turns, &numbers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        CHECK_INT(pthread_join(threads[i], NULL), 0);
    return hostile_end();
}
