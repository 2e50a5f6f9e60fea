// The memory of a rank with threads grows no further than what the host holds for the rank leaves, and holds no more than the memory leaves.
// ranks: 1
// engines: local
// bounded: mpi
// Over an MPI library the job ends where a type was made that could not be charged.
// cc: -pthread
// run: --memory-limit 64M
// peak: limits + 96
#include "quota.h"
#include <pthread.h>

enum { LONG = 1 << 12, MOST = 20000 };
static int lengths[LONG], places[LONG];
static MPI_Datatype types[MOST];
static volatile int stop;

static size_t memory(void) { return (size_t)__builtin_wasm_memory_size(0) << 16; }

/* Grows the memory as far as it goes, and touches it. */
static size_t grow(void)
{
    size_t before = memory();
    while (__builtin_wasm_memory_grow(0, 4) != (size_t)-1)
        ;
    for (size_t at = before; at < memory(); at += 4096)
        *(volatile char *)at = 1;
    return memory() - before;
}

static void *grow_meanwhile(void *argument)
{
    while (!stop)
        grow();
    return argument;
}

int main(int argc, char **argv)
{
    check_begin_threads(&argc, &argv, MPI_THREAD_MULTIPLE);
    set_canaries();
    scatter(LONG, lengths, places);
    pthread_t thread;
    // The host takes all that there is; then the memory has nothing to grow into.
    EXHAUST(MOST, MPI_Type_indexed(LONG, lengths, places, MPI_CHAR, &types[made]));
    CHECK(grow() < (1 << 20));
    // What the host gives back the memory can have, and then the host can't, whoever comes first.
    int half = made / 2;
    for (int i = half; i < made; i++)
        TRY(MPI_Type_free(&types[i]));
    CHECK_INT(pthread_create(&thread, NULL, grow_meanwhile, NULL), 0);
    int code = MPI_SUCCESS;
    while (half < MOST && (code = MPI_Type_indexed(LONG, lengths, places, MPI_CHAR, &types[half])) == MPI_SUCCESS)
        half++;
    says_why(__FILE__, __LINE__, code);
    stop = 1;
    CHECK_INT(pthread_join(thread, NULL), 0);
    CHECK(memory() <= (size_t)64 << 20);
    while (half > 0)
        TRY(MPI_Type_free(&types[--half]));
    return hostile_end();
}
