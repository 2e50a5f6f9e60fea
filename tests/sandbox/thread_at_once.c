// Two threads in MPI at once though the program asked for SERIALIZED: a trap that names both.
// ranks: 2
// engines: local
// cc: -pthread
// exit: 134
// stderr: means that one thread at a time calls MPI
#include "hostile.h"
#include <pthread.h>
#include <unistd.h>

static void *receive(void *argument)
{
    int never;
    MPI_Recv(&never, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return argument;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    check_begin_threads(&argc, &argv, MPI_THREAD_SERIALIZED);
    // Rank 1 computes, so nobody takes rank 0 for one that waits for ever.
    for (volatile int i = 0; rank == 1; i++) {}
    CHECK_INT(pthread_create(&thread, NULL, receive, NULL), 0);
    for (;;) {
        int flag;
        usleep(1000);
        MPI_Iprobe(MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    }
}
