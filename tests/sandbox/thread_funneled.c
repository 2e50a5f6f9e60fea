// A thread that calls MPI though the program asked for FUNNELED: a trap that names the function, the thread and the way out.
// ranks: 1 2
// engines: local
// cc: -pthread
// exit: 134
// stderr: MPI_Barrier was called by thread 1, and the program asked for MPI_THREAD_FUNNELED
#include "hostile.h"
#include <pthread.h>

static void *call(void *argument)
{
    int flag = 0;
    // These may be called by any thread.
    TRY(MPI_Initialized(&flag));
    CHECK(flag && MPI_Wtime() >= 0);
    MPI_Barrier(MPI_COMM_WORLD);
    return argument;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    check_begin_threads(&argc, &argv, MPI_THREAD_FUNNELED);
    CHECK_INT(pthread_create(&thread, NULL, call, NULL), 0);
    pthread_join(thread, NULL);
    return check_end();
}
