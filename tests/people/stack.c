// Recursion without end is called that, with what gives the stack more room; `main` has its own name.
// ranks: 1
// cc: -O0
// exit: 134
// stderr: the stack is exhausted
// stderr: -Wl,-z,stack-size=
// stderr: at deep (
// stderr-not: __main_argc_argv
#include <stdio.h>

static int deep(int level)
{
    volatile int local[1000];
    local[level % 1000] = level;
    return deep(level + 1) + local[0];
}

int main(int argc, char **argv)
{
    (void)argv;
    printf("%d\n", deep(argc));
    return 0;
}
