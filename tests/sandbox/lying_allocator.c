// An allocator that answers with addresses beyond the memory, and with none.
// ranks: 1 2
// engines: mpi
#include "hostile.h"

static int lies;

/* The whole allocator has to be the program's own. This one never takes anything back. */
static char pool[16 << 20];
static size_t used;

void *malloc(size_t bytes)
{
    size_t at = (used + 15) & ~(size_t)15;
    if (bytes > sizeof pool - at) return NULL;
    used = at + bytes;
    return pool + at;
}

void free(void *block) { (void)block; }
void *calloc(size_t n, size_t size) { return malloc(n * size); }

void *realloc(void *block, size_t bytes)
{
    char *moved = malloc(bytes);
    if (moved && block) memmove(moved, block, bytes);
    return moved;
}

int posix_memalign(void **block, size_t align, size_t bytes)
{
    (void)align;
    *block = malloc(bytes);
    return *block ? 0 : 12;
}

void *aligned_alloc(size_t align, size_t bytes)
{
    (void)align;
    if (lies == 1) return (void *)0xfffff000;
    if (lies == 2) return (void *)(memory_end() - 64);
    if (lies == 3) return NULL;
    return malloc(bytes);
}

int main(int argc, char **argv)
{
    MPI_Win win;
    void *base;
    hostile_begin(&argc, &argv);
    for (lies = 1; lies <= 3; lies++) {
        REFUSED(MPI_Win_allocate_shared(1 << 20, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
        REFUSED(MPI_Win_allocate(1 << 20, 1, MPI_INFO_NULL, MPI_COMM_SELF, &base, &win));
        REFUSED(MPI_Alloc_mem(1 << 20, MPI_INFO_NULL, &base));
    }
    lies = 0;
    TRY(MPI_Win_allocate_shared(1 << 20, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    TRY(MPI_Win_free(&win));
    return hostile_end();
}
