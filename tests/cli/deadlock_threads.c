// Threads of a rank that wait at once count as one rank: what each of them waits for is said.
// engines: local
// ranks: 1 2
// cc: -pthread
// exit: 3
// stderr: deadlock
// stderr: with tag 41
// stderr: with tag 42
// stderr: ; its thread 
#include <mpi.h>
#include <pthread.h>

static void *receive(void *argument)
{
    int never;
    MPI_Recv(&never, 1, MPI_INT, MPI_ANY_SOURCE, 42, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return argument;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    int level, never;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    pthread_create(&thread, NULL, receive, NULL);
    MPI_Recv(&never, 1, MPI_INT, MPI_ANY_SOURCE, 41, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return 0;
}
