// Threads take blocks and give back those of others; what a thread kept when it ended serves the next ones.
// ranks: 1 2
// native: no (it asks how large the memory is)
// cc: -pthread
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

enum { THREADS = 4, PLACES = 256, STEPS = 30000, GENERATIONS = 100 };

struct block {
    uint32_t size, value;
    unsigned char bytes[];
};

/* Whoever comes puts a block of its own there and takes care of the one that it finds. */
static _Atomic(struct block *) places[PLACES];

static void give(struct block *block)
{
    if (block == NULL)
        return;
    for (uint32_t i = 0; i < block->size; i++)
        assert(block->bytes[i] == (unsigned char)block->value);
    free(block);
}

static void *exchange(void *seed)
{
    uint32_t state = (uint32_t)(uintptr_t)seed * 2654435761u + 1;
    for (int step = 0; step < STEPS; step++) {
        state = state * 1664525u + 1013904223u;
        uint32_t size = state >> 24 == 0 ? state >> 12 & 0xffff : state >> 16 & 1023;
        struct block *block = malloc(sizeof *block + size);
        assert(block != NULL && (uintptr_t)block % 16 == 0);
        block->size = size;
        block->value = state >> 8;
        memset(block->bytes, (int)block->value, size);
        if (step % 16 == 0)
            block = realloc(block, sizeof *block + size + 100);
        give(atomic_exchange(&places[state >> 10 & (PLACES - 1)], block));
    }
    return NULL;
}

/* Leaves blocks of many sizes in what the thread keeps. */
static void *leave(void *unused)
{
    void *blocks[64 * 8];
    (void)unused;
    for (size_t i = 0; i < 64 * 8; i++)
        assert((blocks[i] = malloc(1 + i % 64 * 16)) != NULL);
    for (size_t i = 0; i < 64 * 8; i++)
        free(blocks[i]);
    return NULL;
}

static void run(void *(*start)(void *))
{
    pthread_t threads[THREADS];
    for (uintptr_t i = 0; i < THREADS; i++)
        assert(pthread_create(&threads[i], NULL, start, (void *)i) == 0);
    for (int i = 0; i < THREADS; i++)
        assert(pthread_join(threads[i], NULL) == 0);
}

int main(int argc, char **argv)
{
    int rank, level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    run(exchange);
    for (int i = 0; i < PLACES; i++)
        give(atomic_exchange(&places[i], NULL));
    run(leave);
    size_t pages = __builtin_wasm_memory_size(0);
    for (int generation = 0; generation < GENERATIONS; generation++)
        run(leave);
    /* Each keeps a quarter of a MiB as long as it is there. */
    assert(__builtin_wasm_memory_size(0) <= pages + 32);
    if (rank == 0)
        puts("OK");
    MPI_Finalize();
    return 0;
}
