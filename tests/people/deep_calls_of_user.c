// What the user says wins over what the program was linked for.
// ranks: 1
// cc: -O0 -Wl,-z,stack-size=268435456 -Wl,-z,call-stack=67108864
// run: --call-stack 1M
// exit: 134
// stderr: calls are nested deeper than its 1024 KiB allow (rankine run --call-stack SIZE gives it more)
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
