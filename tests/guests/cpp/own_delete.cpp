// A program's own operator delete is what gives back sized blocks as well, and its own operator new is what new[] takes from.
// ranks: 1
// native: no
#include "../check.h"
#include <new>

static int taken, given;

void *operator new(size_t size)
{
    taken++;
    if (void *block = malloc(size))
        return block;
    throw std::bad_alloc();
}
void operator delete(void *block) noexcept
{
    given++;
    free(block);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    for (int i = 0; i < 10; i++) {
        ::operator delete(::operator new(24), 24);
        int *volatile numbers = new int[3];
        delete[] numbers;
    }
    CHECK_INT(taken, 20);
    CHECK_INT(given, 20);
    return check_end();
}
