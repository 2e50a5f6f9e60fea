// Threads that take all the memory there is: they get what their rank's limit allows, together.
// ranks: 1
// cc: -pthread
// run: --memory-limit 96M
#include "hostile.h"
#include <pthread.h>

static size_t taken;

/* Open when all threads are there: a new one needs memory too. */
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static void *take(void *argument)
{
    pthread_mutex_lock(&gate);
    pthread_mutex_unlock(&gate);
    for (void *volatile block = malloc(1 << 16); block != NULL; block = malloc(1 << 16)) {
        memset(block, 1, 1 << 16);
        __atomic_add_fetch(&taken, 1 << 16, __ATOMIC_SEQ_CST);
    }
    return argument;
}

int main(int argc, char **argv)
{
    pthread_t threads[4];
    hostile_begin(&argc, &argv);
    pthread_mutex_lock(&gate);
    for (int i = 0; i < 4; i++)
        CHECK_INT(pthread_create(&threads[i], NULL, take, NULL), 0);
    pthread_mutex_unlock(&gate);
    for (int i = 0; i < 4; i++)
        CHECK_INT(pthread_join(threads[i], NULL), 0);
    CHECK(taken > 8 << 20 && taken < 96 << 20);
    CHECK_INT((int)__builtin_wasm_memory_grow(0, 60000), -1);
    // Nothing is left for a message either.
    puts("OK");
    return 0;
}
