// pthread.h without -pthread, in a rank's one thread: locks, once, keys and semaphores work, a second thread is refused.
// ranks: 1
// native: no
#include "../check.h"
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int calls;

static void count(void) { calls++; }

static void *nothing(void *argument) { return argument; }

int main(int argc, char **argv)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_attr_t attributes;
    pthread_key_t key;
    pthread_t thread;
    sem_t semaphore;
    check_begin(&argc, &argv);
    CHECK_INT(pthread_mutex_lock(&mutex), 0);
    CHECK_INT(pthread_mutex_trylock(&mutex), EBUSY);
    CHECK_INT(pthread_mutex_unlock(&mutex), 0);
    pthread_once(&once, count);
    pthread_once(&once, count);
    CHECK_INT(calls, 1);
    CHECK_INT(pthread_key_create(&key, NULL), 0);
    CHECK_INT(pthread_setspecific(key, &key), 0);
    CHECK(pthread_getspecific(key) == &key);
    CHECK_INT(pthread_attr_init(&attributes), 0);
    CHECK_INT(pthread_attr_setscope(&attributes, 0), 0);
    CHECK_INT(pthread_create(&thread, &attributes, nothing, NULL), EAGAIN);
    CHECK_INT(sem_init(&semaphore, 0, 1), 0);
    CHECK_INT(sem_wait(&semaphore), 0);
    CHECK(sem_trywait(&semaphore) == -1 && errno == EAGAIN);
    CHECK_INT(sem_post(&semaphore), 0);
    return check_end();
}
