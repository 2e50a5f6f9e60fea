// A thread that ends the program while main waits for it, in MPI or otherwise, and others compute: its rank ends.
// ranks: 1 2 4
// engines: local
// cc: -pthread
// exit: 5
// stdout: leaves
#include "hostile.h"
#include <pthread.h>
#include <unistd.h>

static void *leave(void *argument)
{
    usleep(20000);
    printf("rank %d leaves\n", rank);
    exit(5);
    return argument;
}

static void *compute(void *argument)
{
    for (volatile int i = 0;; i++) {}
    return argument;
}

int main(int argc, char **argv)
{
    pthread_t computing, leaving;
    check_begin_threads(&argc, &argv, MPI_THREAD_FUNNELED);
    CHECK_INT(pthread_create(&computing, NULL, compute, NULL), 0);
    CHECK_INT(pthread_create(&leaving, NULL, leave, NULL), 0);
    if (rank == 0 && size > 1) {
        int never;
        MPI_Recv(&never, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    pthread_join(leaving, NULL);
    return check_end();
}
