// Blocks of all sizes and alignments lie apart from each other, zeroed ones are zero, and what is given back serves other sizes.
// ranks: 1 2
// native: no (it asks how large the memory is)
#include <assert.h>
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

enum { BLOCKS = 2000, STEPS = 60000 };

static struct block {
    unsigned char *bytes, value;
    size_t size;
} blocks[BLOCKS];

static uint64_t state = 88172645463325252u;

static size_t number(size_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (size_t)(state >> 33) % below;
}

static size_t some_size(void)
{
    static const size_t below[] = {16, 100, 100, 600, 1100, 1100, 9000, 70000};
    return number(100) == 0 ? number(2000000) : number(below[number(8)]);
}

static void take(struct block *block)
{
    void *place;
    block->size = some_size();
    block->value = (unsigned char)number(256);
    switch (number(5)) {
    case 0:
        block->bytes = calloc(1, block->size);
        for (size_t i = 0; i < block->size; i++)
            assert(block->bytes[i] == 0);
        break;
    case 1: {
        size_t alignment = sizeof(void *) << number(13);
        assert(posix_memalign(&place, alignment, block->size) == 0);
        assert((uintptr_t)place % alignment == 0);
        block->bytes = place;
        break;
    }
    default: block->bytes = malloc(block->size);
    }
    assert(block->bytes != NULL && (uintptr_t)block->bytes % 16 == 0);
    assert(malloc_usable_size(block->bytes) >= block->size);
    memset(block->bytes, block->value, block->size);
}

static void check(const struct block *block, size_t size)
{
    for (size_t i = 0; i < size; i++)
        assert(block->bytes[i] == block->value);
}

static void change(struct block *block)
{
    size_t size = number(3) ? some_size() : block->size + number(200);
    block->bytes = realloc(block->bytes, size);
    assert(block->bytes != NULL);
    check(block, size < block->size ? size : block->size);
    block->size = size;
    memset(block->bytes, block->value, size);
}

static void give(struct block *block)
{
    check(block, block->size);
    free(block->bytes);
    block->bytes = NULL;
}

static size_t pages(void)
{
    return __builtin_wasm_memory_size(0);
}

static void mix(void)
{
    for (int step = 0; step < STEPS; step++) {
        struct block *block = &blocks[number(number(4) ? BLOCKS : 100)];
        if (block->bytes == NULL)
            take(block);
        else if (number(3) == 0)
            change(block);
        else
            give(block);
    }
    for (int i = 0; i < BLOCKS; i++)
        if (blocks[i].bytes != NULL)
            give(&blocks[i]);
}

/* 8 MiB of one size, given back, are there for another. */
static void serve_other_sizes(void)
{
    enum { BYTES = 8 << 20, LEAST = 24 };
    static void *many[BYTES / LEAST];
    size_t most = 0;
    for (size_t size = LEAST; size <= 100000; size *= 3) {
        size_t count = BYTES / size;
        for (size_t i = 0; i < count; i++)
            assert((many[i] = malloc(size)) != NULL);
        for (size_t i = 0; i < count; i++)
            free(many[i]);
        if (most == 0)
            most = pages() + (2 << 20) / 65536;
        assert(pages() <= most);
    }
}

/* A block that grows where nothing is behind it stays where it is. */
static void grow(void)
{
    char *volatile block = malloc(1 << 20), *first = block;
    for (size_t size = 1 << 20; size < 32 << 20; size += 1 << 19) {
        block = realloc(block, size);
        block[size - 1] = 1;
    }
    assert(block == first || pages() < 96 * 16);
    free(block);
}

static void refuse(void)
{
    /* The compiler believes that malloc leaves errno alone, unless it doesn't see that it is malloc. */
    void *(*volatile plain)(size_t) = malloc;
    void *(*volatile of_two)(size_t, size_t) = calloc;
    errno = 0;
    assert(plain(SIZE_MAX - 64) == NULL && errno == ENOMEM);
    errno = 0;
    assert(of_two(SIZE_MAX / 2, 3) == NULL && errno == ENOMEM);
    of_two = aligned_alloc;
    assert(of_two(24, 48) == NULL && errno == EINVAL);
    void *place = &state;
    assert(posix_memalign(&place, 2, 8) == EINVAL && posix_memalign(&place, 48, 8) == EINVAL);
    assert(posix_memalign(&place, 64, SIZE_MAX - 8) == ENOMEM && place == &state);
    void *nothing = plain(0);
    assert(nothing != NULL);
    free(nothing);
    free(NULL);
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    state += (uint64_t)rank;
    serve_other_sizes();
    grow();
    mix();
    refuse();
    void *block;
    assert(MPI_Alloc_mem(1000, MPI_INFO_NULL, &block) == MPI_SUCCESS);
    assert(MPI_Free_mem(block) == MPI_SUCCESS);
    if (rank == 0)
        puts("OK");
    MPI_Finalize();
    return 0;
}
