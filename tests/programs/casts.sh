# The object knows of a cast: through archives, with -Werror and without a word where nobody has asked for one; two definitions of a
# function with two types are an error, not a call that is made to fit.
cat > a.c <<'C'
int release(int *block) { return ++*block; }
C
cat > b.c <<'C'
#include <stdio.h>
int release(int *block);
typedef void (*nothing_t)(void *);
nothing_t volatile function = (nothing_t)release;
int main(void)
{
    int block = 1;
    function(&block);
    printf("%d\n", block);
    return 0;
}
C
rankine cc -Werror -c a.c b.c > log 2>&1
[ ! -s log ]
ar rcs libb.a b.o
rankine cc -s libb.a a.o -o program.wasm
[ "$(rankine run program.wasm)" = 2 ]
if grep -q rankine.casts program.wasm; then exit 1; fi
rankine cc -Wextra -c b.c 2> log
grep -q 'converts to incompatible function type' log

# A pointer that names no parameters is called with more than the function has, and says nothing of it.
cat > d.c <<'C'
#include <stdio.h>
static int first(const int *number) { return *number; }
static int sum(const int *a, const int *b) { return *a + *b; }
static const struct { int (*volatile apply)(); } methods[] = { { FIRST }, { sum } };
int main(void)
{
    int a = 3, b = 4;
    printf("%d %d\n", methods[0].apply(&a, &b), methods[1].apply(&a, &b));
    return 0;
}
C
for first in 'first' '(int (*)())first'; do
    rankine cc -O2 -DFIRST="$first" d.c -o program.wasm 2> log
    grep -q 'passing arguments to a function without a prototype' log
    [ "$(rankine run program.wasm)" = "3 7" ]
    rankine cc -O2 -DFIRST="$first" -c d.c 2> log
    rankine cc d.o -o program.wasm
    [ "$(rankine run program.wasm)" = "3 7" ]
done
# Where nobody wants to hear of that, a cast still tells.
rankine cc -O2 -DFIRST='(int (*)())first' -Wextra -Werror -Wno-deprecated-non-prototype d.c -o program.wasm > log 2>&1 || { cat log; exit 1; }
[ ! -s log ]
[ "$(rankine run program.wasm)" = "3 7" ]

echo 'double release(double x) { return x; }' > c.c
rankine cc -c c.c
if rankine cc b.o a.o c.o -o program.wasm 2> log; then exit 1; fi
grep -q 'the function release is (f64) -> f64 in c.o, and (i32) -> i32 in a.o' log

# Nor is it one where archives hide the second definition, whichever comes first.
echo 'long long draw(void *state, long long most) { (void)state; return most; }' > wide.c
echo 'int draw(void *state, int most) { (void)state; return most; }' > narrow.c
echo 'int draw(void *, int); int other(void) { return draw(0, 3); }' > other.c
cat > calls.c <<'C'
#include <stdio.h>
long long draw(void *, long long);
int other(void);
int main(void)
{
    printf("%lld %d\n", draw(0, 5000000000), other());
    return 0;
}
C
rankine cc -c wide.c narrow.c other.c calls.c
ar rcs libwide.a wide.o
ar rcs libnarrow.a narrow.o
for libraries in '-lwide -lnarrow' '-lnarrow -lwide' 'libwide.a libnarrow.a'; do
    # shellcheck disable=SC2086 # a word for each library
    if rankine cc calls.o other.o -L. $libraries -o program.wasm 2> log; then exit 1; fi
    grep -q 'the function draw is .*lib[a-z]*.a has one as it is called' log
done
