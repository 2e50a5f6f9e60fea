// With --threads-per-rank each rank of a program with threads has cores of its own, where there are enough: --verbose says which.
// ranks: 1
// engines: local
// run: --threads-per-rank 1 --verbose
// cc: -pthread
// stderr: rank 0: its threads run on cores
#include "../guests/check.h"
#include <pthread.h>

static void *finish(void *argument)
{
    return argument;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    check_begin_threads(&argc, &argv, MPI_THREAD_MULTIPLE);
    CHECK_INT(pthread_create(&thread, NULL, finish, NULL), 0);
    CHECK_INT(pthread_join(thread, NULL), 0);
    return check_end();
}
