// A cast that clang sees has calls by that type forgive, without a flag; a program that says so traps as before.
// ranks: 1
// cc: -O1
#include <mpi.h>
#include <stdio.h>

typedef void (*nothing_t)(void *);

static __attribute__((noinline)) int release(int *block, int more)
{
    return ++*block + more;
}

int main(int argc, char **argv)
{
    int block = 1;
    nothing_t volatile function = (nothing_t)release;
    MPI_Init(&argc, &argv);
    function(&block);
    MPI_Finalize();
    if (block == 2)
        puts("OK");
    return block != 2;
}
