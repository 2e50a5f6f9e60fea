// A thread that traps while the others wait, in MPI and for it: the job ends with that thread's stack.
// ranks: 1 2
// engines: local
// cc: -pthread -g
// exit: 134
// stderr: at thread_that_fails
#include "hostile.h"
#include <pthread.h>
#include <unistd.h>

__attribute__((noinline)) static void *thread_that_fails(void *argument)
{
    usleep(20000);
    __builtin_trap();
    return argument;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    int never;
    check_begin_threads(&argc, &argv, MPI_THREAD_FUNNELED);
    CHECK_INT(pthread_create(&thread, NULL, thread_that_fails, NULL), 0);
    if (rank == 0 && size > 1)
        MPI_Recv(&never, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    pthread_join(thread, NULL);
    return check_end();
}
