// The stack is at its end where a function begins that calls no other: that is no null pointer.
// ranks: 1
// cc: -O1 -Wl,-z,stack-size=65536
// exit: 134
// stderr: the stack is exhausted
// stderr: -Wl,-z,stack-size=
// stderr-not: null pointer
#include <stdio.h>

__attribute__((noinline)) static int leaf(int level)
{
    volatile int local[500];
    for (int i = 0; i < 500; i++)
        local[i] = level;
    return local[level % 500];
}

__attribute__((noinline)) static int deep(int level)
{
    volatile int local[250];
    local[0] = leaf(level);
    return deep(level + 1) + local[0];
}

int main(int argc, char **argv)
{
    (void)argv;
    printf("%d\n", deep(argc));
    return 0;
}
