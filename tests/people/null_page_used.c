// A program that has its data where null pointers lead to runs as it is: it does not say that it leaves them alone.
// ranks: 1
// cc: -O1 -Wl,--no-stack-first -Wl,--global-base=1024
#include <stdio.h>

static int value = 42;

int main(void)
{
    int *volatile at = &value;
    *(volatile int *)16 = *at;
    puts((unsigned)at < 65536 && *(volatile int *)16 == 42 ? "OK" : "no");
    return 0;
}
