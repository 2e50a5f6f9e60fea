// Threads that end by pthread_exit: from within functions, with what was to be done then, and the first one before the last.
// ranks: 1 2
// cc: -pthread
// run: --threads-per-rank 4
#include "../check.h"
#include <pthread.h>
#include <stdlib.h>

static pthread_key_t key;
static pthread_mutex_t order = PTHREAD_MUTEX_INITIALIZER;
static int cleaned, destroyed;

static void clean(void *by) { cleaned += *(int *)by; }
static void destroy(void *by) { destroyed += *(int *)by; }

static void end(int *value)
{
    if (value)
        pthread_exit(value);
}

static void is_not_left(int *value)
{
    end(value);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void *ends_within(void *value)
{
    CHECK_INT(pthread_setspecific(key, value), 0);
    pthread_cleanup_push(clean, value);
    is_not_left(value);
    pthread_cleanup_pop(0);
    return NULL;
}

static void *returns(void *value) { return value; }

static void *is_last(void *unused)
{
    (void)unused;
    // The first thread holds it until it ends.
    pthread_mutex_lock(&order);
    pthread_mutex_unlock(&order);
    if (rank == 0)
        puts("OK");
    return NULL;
}

int main(int argc, char **argv)
{
    int values[] = {1, 10, 100};
    pthread_t threads[3], last;
    void *result;
    check_begin_threads(&argc, &argv, MPI_THREAD_FUNNELED);
    CHECK_INT(pthread_key_create(&key, destroy), 0);
    for (int i = 0; i < 3; i++) {
        CHECK_INT(pthread_create(&threads[i], NULL, i == 1 ? returns : ends_within, &values[i]), 0);
        CHECK_INT(pthread_join(threads[i], &result), 0);
        CHECK(result == &values[i]);
    }
    CHECK_INT(cleaned, 101);
    CHECK_INT(destroyed, 101);
    pthread_mutex_lock(&order);
    CHECK_INT(pthread_create(&last, NULL, is_last, NULL), 0);
    MPI_Finalize();
    pthread_mutex_unlock(&order);
    pthread_exit(NULL);
}
