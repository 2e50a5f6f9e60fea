// A count of 64 bits is not cut to 32: the copy traps where so much memory is not there, and where the count is a constant
// the compiler says so.
// ranks: 1
// each: memcpy memmove memset
// exit: 134
// compiler: the memory of a rank ends at 4 GiB: this traps
// stderr: an access outside the guest's memory
// stderr: wide_copy.c:3
// stderr-not: enable_if
// stderr-not: was cut
#include "../guests/check.h"
#include <string.h>

static char from[64], to[64];
// What programs do with memcpy beside calling it.
void *memcpy(void *, const void *, size_t);
static void *(*stored)(void *, const void *, size_t) = memcpy;
static struct { void *(*memset)(void *, int, size_t); } table = {memset};
enum { FEW = 8 };

int main(int argc, char **argv)
{
    const char *way = argv[argc - 1];
    long long wide = (1LL << 32) + argc;
    memset(from, 'x', sizeof from);
    memcpy(to, from, FEW);
    memcpy(to + 8, from, argc * 4LL);
    memmove(to + 16, from, (unsigned short)argc);
    (argc > 5 ? memmove : memcpy)(to + 24, from, 8);
    stored(to + 32, from, 8);
    table.memset(to + 40, 'x', 8);
    CHECK(to[7] == 'x' && to[8] == 'x' && to[16] == 'x' && to[31] == 'x' && to[39] == 'x' && to[47] == 'x' && to[48] == 0);
    if (strcmp(way, "memcpy") == 0)
        memcpy(to, from, wide);
    else if (strcmp(way, "memmove") == 0)
        memmove(to, from, (unsigned long long)wide);
    else if (strcmp(way, "memset") == 0)
        memset(to, argc, wide * 1.5);
    else
        memset(to, 0, 5LL << 30);
    fputs("it was cut\n", stderr);
    return 0;
}
