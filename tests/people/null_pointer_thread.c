// A null pointer in a thread, and then the memory of the rank is closed there for all of them.
// engines: local
// ranks: 1
// cc: -pthread -g -O1
// exit: 134
// stderr: trapped: a null pointer was used
// stderr: null_pointer_thread.c:16
#include <pthread.h>
#include <stdio.h>

static int *volatile nowhere;

static void *work(void *unused)
{
    puts("a line");
    *nowhere = 42;
    return unused;
}

int main(void)
{
    pthread_t thread;
    puts("another");
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    return 0;
}
