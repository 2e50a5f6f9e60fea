// A number of 64 bits in a long, which has 32: the compiler says so, once, with what to do.
// ranks: 1
// compiler: long_narrowed.c:14:18: warning: implicit conversion loses integer precision: 'long long' to 'long'
// compiler: a long has 32 bits in WebAssembly, and int64_t has 64
#include "../guests/check.h"
#include <stddef.h>
#include <stdint.h>
#include <time.h>

// Not told: these are as short on other machines, or meant to be as an address is.
static long narrowed(long long bytes, time_t now)
{
    int few = bytes;
    long count = bytes;
    size_t size = bytes;
    long again = bytes + few + (long)size + (long)now;
    return count + again;
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    CHECK(narrowed((5LL << 32) + 1, 0) == 4);
    return check_end();
}
