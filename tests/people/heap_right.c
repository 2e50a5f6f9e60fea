// --check-heap finds nothing in a program that uses its heap as it may, in all ways of having blocks.
// ranks: 1 2
// run: --check-heap
// cc: -O1
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    int rank, is_right = 1;
    void *aligned, *of_mpi;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int round = 0; round < 300; round++) {
        size_t size = (size_t)(round * 37 % 1000) + 1;
        char *zeroes = calloc(size, 3), *grows = malloc(size), *copy;
        for (size_t i = 0; i < 3 * size; i++)
            is_right &= zeroes[i] == 0;
        memset(grows, round, size);
        grows = realloc(grows, 2 * size);
        is_right &= grows[size - 1] == (char)round;
        is_right &= posix_memalign(&aligned, 256, size) == 0 && (uintptr_t)aligned % 256 == 0;
        memset(aligned, 1, size);
        free(aligned);
        aligned = aligned_alloc(64, 128);
        is_right &= (uintptr_t)aligned % 64 == 0;
        free(aligned);
        copy = strdup("heap");
        is_right &= strcmp(copy, "heap") == 0;
        free(copy);
        free(realloc(NULL, 10));
        free(NULL);
        free(zeroes);
        free(grows);
        if (round % 50 == 0)
            MPI_Barrier(MPI_COMM_WORLD);
    }
    // Seen by the compiler, blocks that nobody uses would not be asked for.
    void *volatile none = malloc(0xfffffff0u);
    is_right &= none == NULL;
    none = calloc(1u << 20, 1u << 20);
    is_right &= none == NULL;
#if SIZE_MAX > UINT32_MAX
    // Sizes that are small if they are cut to 32 bits.
    const size_t above = (size_t)1 << 32;
    char *kept = memset(malloc(10), 'k', 10);
    is_right &= (none = malloc(above + 8)) == NULL;
    is_right &= (none = calloc(above + 1, 8)) == NULL;
    is_right &= (none = calloc(above, above)) == NULL;
    is_right &= (none = aligned_alloc(64, above + 64)) == NULL;
    is_right &= posix_memalign(&aligned, 64, above + 64) != 0;
    is_right &= (none = realloc(kept, above + 20)) == NULL && memcmp(kept, "kkkkkkkkkk", 10) == 0;
    free(kept);
#endif
    MPI_Alloc_mem(100, MPI_INFO_NULL, &of_mpi);
    memset(of_mpi, 1, 100);
    MPI_Free_mem(of_mpi);
    int all;
    MPI_Reduce(&is_right, &all, 1, MPI_INT, MPI_LAND, 0, MPI_COMM_WORLD);
    if (rank == 0)
        puts(all ? "OK" : "wrong");
    MPI_Finalize();
    return !is_right;
}
