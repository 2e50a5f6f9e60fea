// The stack has all of its bytes, although an access beyond its end is noticed.
// ranks: 1
// cc: -O1 -Wl,-z,stack-size=131072
#include <stdio.h>

int main(int argc, char **argv)
{
    volatile char local[120000];
    (void)argv;
    for (unsigned i = 0; i < sizeof local; i++)
        local[i] = (char)argc;
    puts(local[77] == argc ? "OK" : "no");
    return 0;
}
