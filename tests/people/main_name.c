// A program that aborts in main: that is its name.
// ranks: 1
// exit: 134
// stderr: at main (
// stderr-not: __main_argc_argv
#include <stdlib.h>

int main(int argc, char **argv)
{
    if (argc > 0)
        abort();
    return argv[0][0];
}
