// Of the C library's functions that call one another, a report names the one that the program called.
// ranks: 1
// exit: 134
// stderr: an access outside the guest's memory
// stderr: at printf
// stderr: at main (
// stderr-not: printf_core
#include <stdio.h>

int main(int argc, char **argv)
{
    const char *volatile wrong = (const char *)0x7fffff00 + argc;
    (void)argv;
    printf("%s %d\n", wrong, argc);
    return 0;
}
