// Calls that are nested too deep for the host's stack: which of both stacks it is, and the option that raises it.
// ranks: 1
// cc: -O0 -Wl,-z,stack-size=268435456
// exit: 134
// stderr: the call stack is exhausted, the one that the host keeps: calls are nested deeper than its 1024 KiB allow (rankine run --call-stack SIZE gives it more)
// stderr: at deep (
#include <stdio.h>

static int deep(int level)
{
    return level == 0 ? 0 : 1 + deep(level - 1);
}

int main(int argc, char **argv)
{
    (void)argv;
    printf("%d\n", deep(argc * 100000));
    return 0;
}
