// What no native convention forgives is a trap with -fforgiving-calls too: it says so, with the stack of the program alone.
// ranks: 1
// cc: -g -O1 -fforgiving-calls -Wno-cast-function-type-mismatch
// exit: 134
// stderr: than the function has, and neither type can be made of the other (-fforgiving-calls)
// stderr: at main (
// stderr: forgiving_refused.c:22
// stderr-not: at forgiving_call
#include <stdio.h>

static __attribute__((noinline)) double half(double x) { return x / 2; }
static __attribute__((noinline)) int twice(int n, int more) { return 2 * n + more; }

int main(int argc, char **argv)
{
    void *volatile functions[] = {(void *)half, (void *)twice};
    int doubled = ((int (*)(int))functions[1])(argc);
    (void)argv;
    printf("%d\n", doubled);
    fflush(stdout);

    return ((int (*)(int))functions[0])(argc);
}
