// Shared windows without end: each rank is charged for its part of the pages, whatever its allocator answers, and what is freed is given
// back; a block that another window has makes no window.
// ranks: 2 4
// run: --memory-limit 64M
// peak: limits + 96
#include "quota.h"

enum { MANY = 200, TRIES = 40, PART = 4 << 20, PAGES = 20 << 20 };

/* The whole allocator has to be the program's own. This one never takes anything back, and can give the same block again. */
static char pool[1 << 20];
static size_t used;
static char *same, *next, *end;

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
    if (same) return same;
    if (!next || bytes > (size_t)(end - next)) return malloc(bytes);
    next += bytes;
    return next - bytes;
}

static MPI_Win windows[MANY];
static int count;

static int make(int bytes)
{
    char *base;
    int code = MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &windows[count]);
    if (code != MPI_SUCCESS)
        return code;
    for (int i = 0; i < bytes; i += 4096)
        ((volatile char *)base)[i] = 1;
    count++;
    return code;
}

static void free_all(void)
{
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    while (count > 0)
        TRY(MPI_Win_free(&windows[--count]));
}

/* The last windows of a rank are those that took its memory, of which little is left. */
static void one_after_the_other(void)
{
    count = 0;
    while (count < MANY && make(PART) == MPI_SUCCESS)
        ;
    CHECK(count > 0 && count < MANY);
}

int main(int argc, char **argv)
{
    hostile_begin(&argc, &argv);
    size_t old = __builtin_wasm_memory_grow(0, PAGES >> 16);
    CHECK(old != (size_t)-1);
    // Where one window is, no other one is made, however often it is tried.
    same = (char *)(old << 16);
    TRY(make(PART));
    for (int i = 0; i < TRIES; i++)
        REFUSED(make(PART));
    // Nor behind its beginning.
    same += 4096;
    REFUSED(make(PART));
    same -= 4096;
    free_all();
    TRY(make(PART));
    free_all();
    same = NULL;
    // One that lies elsewhere each time, and is given up each time, costs nothing for long.
    for (int i = 0; i < 3; i++) {
        next = (char *)(old << 16);
        end = next + PAGES;
        one_after_the_other();
        free_all();
    }
    // More than a rank may have.
    REFUSED(make(100 << 20));
    next = (char *)(old << 16);
    TRY(make(4096));
    free_all();
    return hostile_end();
}
