// A thread that computes for ever while its rank aborts: the job ends all the same.
// ranks: 1 2
// cc: -pthread
// exit: 7
#include "hostile.h"
#include <pthread.h>

static void *spin(void *argument)
{
    for (volatile int i = 0;; i++) {}
    return argument;
}

int main(int argc, char **argv)
{
    pthread_t threads[3];
    check_begin_threads(&argc, &argv, MPI_THREAD_FUNNELED);
    for (int i = 0; i < 3; i++)
        CHECK_INT(pthread_create(&threads[i], NULL, spin, NULL), 0);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == size - 1)
        MPI_Abort(MPI_COMM_WORLD, 7);
    pthread_join(threads[0], NULL);
    return 0;
}
