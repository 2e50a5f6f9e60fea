// A size of 64 bits is not cut to 32: the allocation fails, and where it is a constant the compiler says so.
// ranks: 1
// compiler: the memory of a rank ends at 4 GiB: this allocation fails
#include "../guests/check.h"

// What programs do with malloc beside calling it.
void *malloc(size_t);
static void *(*stored)(size_t) = malloc;
static void *address = (void *)malloc;
static struct { void *(*malloc)(size_t); } table = {malloc};
inline void *of_int(int n) { return malloc(n); }
enum { FEW = 8 };

static void *volatile block;

static void refused(void *of)
{
    block = of;
    CHECK(block == NULL);
}

static void given(void *of)
{
    block = of;
    CHECK(block != NULL);
    free(block);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    long long wide = (5LL << 32) + argc;
    refused(malloc(8LL << 30));
    refused(malloc(wide));
    refused(malloc(-wide));
    refused(malloc(wide * 1.5));
    refused(malloc((unsigned long long)wide));
    refused(calloc(wide, 1));
    refused(calloc(1, wide));
    refused(calloc(2.5f, wide));
    refused(realloc(NULL, wide));
    refused(aligned_alloc(64, wide));
    given(malloc(FEW));
    given(malloc('c'));
    given(malloc((short)7));
    given(malloc(argc * 8LL));
    given(malloc(argc * 1.5));
    given(calloc(argc, sizeof(double)));
    given(calloc(argc * 3LL, 2u));
    given(realloc(NULL, argc * 100));
    given(stored(8));
    given(table.malloc(8));
    given(((void *(*)(size_t))address)(8));
    return check_end();
}
