// Writing behind a block, before one, to one that was freed, and freeing one twice or within: with --check-heap each is a trap
// that says where the block was allocated, at the next call of MPI or of the allocator.
// ranks: 1 2
// run: --check-heap
// each: behind before freed twice within realloc
// cc: -g -O1
// exit: 134
// stderr: right behind a block of 40 bytes allocated by table ( | 4 bytes before a block of 40 bytes allocated by table ( | 8 bytes into a block that was freed, of 40 bytes allocated by table ( | a block is freed twice: 40 bytes allocated by table ( | lies 4 bytes within one: 40 bytes allocated by table ( | right behind a block of 80 bytes allocated by main (
// stderr: heap_behind.c:
// stderr: at main (
// stderr-not: watched_heap
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static __attribute__((noinline)) int *table(void)
{
    int *volatile block = malloc(40);
    return block;
}

int main(int argc, char **argv)
{
    const char *way = argv[argc - 1];
    MPI_Init(&argc, &argv);
    int *volatile block = table();
    if (strcmp(way, "behind") == 0)
        block[10] = 1;
    if (strcmp(way, "before") == 0)
        block[-1] = 1;
    if (strcmp(way, "freed") == 0) {
        free(block);
        block[2] = 1;
    }
    if (strcmp(way, "twice") == 0) {
        free(block);
        free(block);
    }
    if (strcmp(way, "within") == 0)
        free(block + 1);
    if (strcmp(way, "realloc") == 0) {
        block = realloc(block, 80);
        block[20] = 1;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
