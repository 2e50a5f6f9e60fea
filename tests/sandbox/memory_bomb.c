// A rank that takes all the memory it can get: it gets what its limit allows, and the others go on.
// ranks: 1 3
// run: --memory-limit 64M
#include "hostile.h"

int main(int argc, char **argv)
{
    hostile_begin(&argc, &argv);
    size_t taken = 0;
    // Volatile: else the compiler takes it that malloc never fails.
    for (void *volatile block = malloc(1 << 16); block != NULL; block = malloc(1 << 16))
        taken += 1 << 16;
    CHECK(taken < 64 << 20);
    CHECK_INT((int)__builtin_wasm_memory_grow(0, 60000), -1);
    return hostile_end();
}
