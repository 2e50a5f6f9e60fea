// --memory-limit: a rank that wants more gets none, as from any other malloc.
// ranks: 1 2
// run: --memory-limit 32M
#include "../guests/check.h"

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    // Volatile: else the compiler takes it that malloc succeeds, and calls none.
    void *volatile some = malloc(4 << 20), *volatile much = malloc(64 << 20);
    CHECK(some != NULL);
    CHECK(much == NULL);
    free(some);
    return check_end();
}
