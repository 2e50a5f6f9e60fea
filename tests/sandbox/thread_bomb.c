// A rank that starts threads until it gets no more: pthread_create says so, and the others go on.
// ranks: 1 3
// cc: -pthread
// run: --threads-per-rank 2
#include "hostile.h"
#include <errno.h>
#include <pthread.h>

enum { MANY = 5000 };

static pthread_mutex_t door = PTHREAD_MUTEX_INITIALIZER;

static void *wait(void *argument)
{
    pthread_mutex_lock(&door);
    pthread_mutex_unlock(&door);
    return argument;
}

int main(int argc, char **argv)
{
    static pthread_t threads[MANY];
    int count = 0, error = 0;
    hostile_begin(&argc, &argv);
    for (int again = 0; again < 3; again++) {
        pthread_mutex_lock(&door);
        for (count = 0; count < MANY; count++) {
            error = pthread_create(&threads[count], NULL, wait, NULL);
            if (error != 0)
                break;
        }
        CHECK_INT(error, EAGAIN);
        CHECK(count >= 8 && count < MANY);
        pthread_mutex_unlock(&door);
        for (int i = 0; i < count; i++)
            CHECK_INT(pthread_join(threads[i], NULL), 0);
    }
    return hostile_end();
}
