// Sizes of 64 bits in C++: malloc in all its forms.
// ranks: 1
#include "../guests/check.h"
#include <cstdlib>
#include <functional>

template <class Function> static void *call(Function function, std::size_t size) { return function(size); }

struct Converts {
    operator std::size_t() const { return 24; }
};

static void *volatile block;

static void refused(void *of)
{
    block = of;
    CHECK(block == nullptr);
}

static void given(void *of)
{
    block = of;
    CHECK(block != nullptr);
    std::free(block);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    long long wide = (5LL << 32) + argc;
    refused(malloc(wide));
    refused(std::malloc(wide));
    refused(std::calloc(wide, sizeof(double)));
    refused(std::realloc(nullptr, wide));
    std::function<void *(std::size_t)> function = std::malloc;
    decltype(&std::malloc) pointer = malloc;
    given(function(8));
    given(pointer(8));
    given(call(std::malloc, 8));
    given(call(&malloc, 8));
    given(std::malloc(argc));
    given(std::malloc(Converts()));
    return check_end();
}
