// One block takes what is free, also beyond 2 GiB, where the C library's allocator alone would give none.
// ranks: 1
#include "../guests/check.h"

#define MIB ((size_t)1 << 20)

static char *volatile block;

static void takes(size_t size)
{
    block = malloc(size);
    CHECK(block != NULL);
    block[0] = 1;
    block[size / 2] = 2;
    block[size - 1] = 3;
    CHECK(block[0] == 1);
    free(block);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    for (size_t size = 2047; size <= 4047; size += 400)
        takes(size * MIB);
    // After one that there is no room for, too.
    block = malloc(4095 * MIB);
    CHECK(block == NULL);
    takes(2500 * MIB);

    block = malloc(8 * MIB);
    strcpy(block, "kept");
    block = realloc(block, 2300 * MIB);
    CHECK(block != NULL && strcmp(block, "kept") == 0);
    free(block);
    block = aligned_alloc(4096, 2600 * MIB);
    CHECK(block != NULL && (size_t)block % 4096 == 0);
    free(block);

    // The host takes memory by the same functions.
    void *from_host = NULL;
    TRY(MPI_Alloc_mem((MPI_Aint)(2047 * MIB), MPI_INFO_NULL, &from_host));
    TRY(MPI_Free_mem(from_host));
    return check_end();
}
