// With --no-null-page a null pointer is an address like any other.
// run: --no-null-page
// ranks: 1
// cc: -O1
#include <stdio.h>

static volatile int *volatile nowhere;

int main(void)
{
    *nowhere = 42;
    puts(*nowhere == 42 ? "OK" : "no");
    return 0;
}
