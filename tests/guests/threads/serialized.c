// MPI_THREAD_SERIALIZED: whichever thread has the lock calls MPI, also where it waits.
// ranks: 1 2 4
// cc: -pthread
#include "../check.h"
#include <pthread.h>

enum { THREADS = 4, ROUNDS = 200 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int rounds;

/* Each round passes a number around the ring of ranks; threads of a rank take turns as they come. */
static void *pass(void *argument)
{
    int number = -1, is_main = 1;
    (void)argument;
    TRY(MPI_Is_thread_main(&is_main));
    CHECK_INT(is_main, 0);
    for (;;) {
        pthread_mutex_lock(&mutex);
        if (rounds == ROUNDS) {
            pthread_mutex_unlock(&mutex);
            return NULL;
        }
        TRY(MPI_Sendrecv(&rounds, 1, MPI_INT, (rank + 1) % size, 5, &number, 1, MPI_INT, (rank + size - 1) % size, 5,
                         MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK_INT(number, rounds);
        if (rounds % 50 == 0)
            TRY(MPI_Allreduce(MPI_IN_PLACE, &number, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD));
        rounds++;
        pthread_mutex_unlock(&mutex);
    }
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    int level, is_main = 0;
    check_begin_threads(&argc, &argv, MPI_THREAD_SERIALIZED);
    TRY(MPI_Query_thread(&level));
    CHECK(level >= MPI_THREAD_SERIALIZED);
    TRY(MPI_Is_thread_main(&is_main));
    CHECK_INT(is_main, 1);
    for (int i = 0; i < THREADS; i++)
        CHECK_INT(pthread_create(&threads[i], NULL, pass, NULL), 0);
    for (int i = 0; i < THREADS; i++)
        CHECK_INT(pthread_join(threads[i], NULL), 0);
    CHECK_INT(rounds, ROUNDS);
    return check_end();
}
