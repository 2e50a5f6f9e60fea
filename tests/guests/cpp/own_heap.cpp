// A program's own malloc and free: new and delete call them.
// ranks: 1
// native: no
#include "../check.h"
#include <errno.h>
#include <vector>

static int taken, given;
alignas(16) static char room[8 << 20];
static size_t used;

extern "C" void *malloc(size_t size)
{
    size = (size + 31) & ~static_cast<size_t>(15);
    if (size > sizeof room - used)
        return nullptr;
    char *block = room + used;
    used += size;
    *reinterpret_cast<size_t *>(block) = size;
    taken++;
    return block + 16;
}
extern "C" void free(void *block) { given += block != nullptr; }
extern "C" void *calloc(size_t count, size_t size)
{
    void *block = malloc(count * size);
    return block ? memset(block, 0, count * size) : nullptr;
}
extern "C" void *realloc(void *block, size_t size)
{
    void *other = malloc(size);
    if (block && other)
        memcpy(other, block, reinterpret_cast<size_t *>(static_cast<char *>(block) - 16)[0] - 16);
    return other;
}
extern "C" void *aligned_alloc(size_t, size_t size) { return malloc(size); }
extern "C" int posix_memalign(void **place, size_t, size_t size) { return (*place = malloc(size)) ? 0 : ENOMEM; }

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    int before = taken, back = given;
    for (int i = 0; i < 10; i++) {
        int *volatile number = new int(i);
        delete number;
    }
    CHECK_INT(taken - before, 10);
    CHECK_INT(given - back, 10);
    void *volatile block = ::operator new(40);
    CHECK(block >= room && block < room + sizeof room);
    ::operator delete(block);
    CHECK_INT(given - back, 11);
    return check_end();
}
