// Who wants no call to forgive says so, whatever casts there are.
// ranks: 1
// cc: -g -O1 -fno-forgiving-calls
// exit: 134
// stderr: a call through a function pointer of another type than the function has
#include <stdio.h>

typedef void (*nothing_t)(void *);

static __attribute__((noinline)) int release(int *block) { return *block; }

int main(int argc, char **argv)
{
    nothing_t volatile function = (nothing_t)release;
    function(&argc);
    (void)argv;
    return 0;
}
