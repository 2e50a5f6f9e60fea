// Who has the C library end a program looks for the line that did: a report begins there, and ends with `main`.
// ranks: 1
// each: abort assert raise
// exit: 134
// stderr: rank 0 trapped: the program called abort | rank 0 trapped: an assertion failed | rank 0 trapped: the program raised a signal
// stderr: at refine (
// stderr: library_frames.c:
// stderr: at main (
// stderr-not: at abort
// stderr-not: at __assert_fail
// stderr-not: at raise
// stderr-not: _start
// stderr-not: __main_void
// stderr-not: compile with -g
#include <assert.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static __attribute__((noinline)) void refine(const char *way)
{
    if (strcmp(way, "raise") == 0)
        raise(SIGFPE);
    assert(strcmp(way, "assert") != 0);
    abort();
}

int main(int argc, char **argv)
{
    refine(argv[argc - 1]);
    return 0;
}
