// All frames are there for who wants to see them.
// ranks: 1
// run: --verbose
// exit: 134
// stderr: at abort
// stderr: at _start
#include <stdlib.h>

int main(void)
{
    abort();
}
