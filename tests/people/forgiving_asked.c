// A call through a pointer of another type than the function has: the trap names the flag that makes it work.
// ranks: 1
// cc: -g -O1 -Wno-cast-function-type-mismatch
// exit: 134
// stderr: a call through a function pointer of another type than the function has (linked with -fforgiving-calls, it works
// stderr: at main (
// stderr: forgiving_asked.c:16
static __attribute__((noinline)) int release(int *block)
{
    return *block;
}

int main(int argc, char **argv)
{
    void *volatile function = (void *)release;
    ((void (*)(int *))function)(&argc);
    (void)argv;
    return 0;
}
