// Threads of a rank by pthread.h: they share memory, have data of their own, wait for each other and return values.
// ranks: 1 2 4
// cc: -pthread
// run: --threads-per-rank 4
#include "../check.h"
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

enum { THREADS = 6, ROUNDS = 2000 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_barrier_t barrier;
static pthread_key_t key;
static sem_t semaphore;
static __thread int mine = 7;
static int counter, turn, calls, destroyed;

static void count(void) { calls++; }
static void destroy(void *value) { __atomic_add_fetch(&destroyed, *(int *)value, __ATOMIC_SEQ_CST); }

static void *work(void *argument)
{
    int number = *(int *)argument;
    static int value = 1;
    CHECK_INT(mine, 7);
    mine = number;
    pthread_once(&once, count);
    CHECK_INT(pthread_setspecific(key, &value), 0);
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&mutex);
        counter++;
        pthread_mutex_unlock(&mutex);
    }
    // One after another.
    pthread_mutex_lock(&mutex);
    while (turn != number)
        pthread_cond_wait(&changed, &mutex);
    turn++;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
    pthread_barrier_wait(&barrier);
    CHECK_INT(turn, THREADS);
    sem_post(&semaphore);
    CHECK_INT(mine, number);
    return argument;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    int numbers[THREADS], sum = 0;
    check_begin_threads(&argc, &argv, MPI_THREAD_FUNNELED);
    CHECK_INT(pthread_key_create(&key, destroy), 0);
    CHECK_INT(pthread_barrier_init(&barrier, NULL, THREADS), 0);
    CHECK_INT(sem_init(&semaphore, 0, 0), 0);
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        CHECK_INT(pthread_create(&threads[i], NULL, work, &numbers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        void *result = NULL;
        CHECK_INT(pthread_join(threads[i], &result), 0);
        CHECK(result == &numbers[i]);
        CHECK_INT(sem_trywait(&semaphore), 0);
    }
    CHECK_INT(sem_trywait(&semaphore), -1);
    CHECK_INT(counter, THREADS * ROUNDS);
    CHECK_INT(calls, 1);
    CHECK_INT(destroyed, THREADS);
    CHECK_INT(mine, 7);
    if (embedded())
        CHECK_INT(sysconf(_SC_NPROCESSORS_ONLN), 4);
    TRY(MPI_Allreduce(&counter, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK_INT(sum, size * THREADS * ROUNDS);
    return check_end();
}
