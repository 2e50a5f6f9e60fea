# Variables that old C defines in a header: one for all files, as large as its largest definition and with the value that a
# file gives it, though WebAssembly has no common symbols; two values are an error that says what to do.
cat > a.c <<'C'
#include <stdio.h>
int counter;
int table[2];
double factor;
void count(void);
int main(void)
{
    count();
    counter++;
    table[1] = 5;
    count();
    printf("%d %d %g\n", counter, table[1], factor);
    return 0;
}
C
cat > b.c <<'C'
int counter;
int table[1000];
double factor = 2.5;
void count(void)
{
    counter += 10;
    for (int i = 2; i < 1000; i++)
        table[i] = -1;
}
C
rankine cc -fcommon -c a.c
rankine cc -fcommon -c b.c
ar rcs libb.a b.o
for parts in 'a.o b.o' 'b.o a.o' 'a.o -L. -lb'; do
    # shellcheck disable=SC2086 # a word for each file
    rankine cc $parts -o program.wasm 2> link.log
    # shellcheck disable=SC2016 # names as the warning has them
    grep -q 'warning: `counter` (.*a.o.*), `factor` (a.o), `table` (.*: defined in several files.*-fcommon' link.log
    [ "$(rankine run program.wasm)" = '21 5 2.5' ]
done

echo 'double factor = 3; void count(void) {}' > c.c
if rankine cc a.c b.c c.c -o program.wasm 2> link.log; then exit 1; fi
grep -q 'duplicate symbol: factor' link.log
grep -q 'a name is defined in several files: declare it extern' link.log
