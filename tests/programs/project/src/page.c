/* Prints the size of a page: only running it tells. */
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    return printf("%d", (int)getpagesize()) < 0;
}
