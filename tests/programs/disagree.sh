# Objects that disagree about a function: what native calling conventions forgive works, through archives too, with
# debug information that stays true; what they don't is an error that names both sides.
mkdir lib
cat > caller.c <<'C'
#include <stdio.h>
#include <stdlib.h>
int missing(int a);                        // has two more parameters
void ignored(int a);                       // has a result
int nothing(int a);                        // has none
int surplus(int a, double b, long long c); // has one parameter
long long narrow(long long n);             // takes and gives an int
int (*pointer)(int) = missing;
static int kept(int x) { return x + 100; } // so is one of the library
static int surplus_of_one(int a) { return surplus(a, 0, 0); }
static int given(int (*function)(int)) { return function(9) + (function == missing); }
int main(int argc, char **argv)
{
    ignored(6);
    printf("%d %d %d %lld %d %d %d\n", missing(5), nothing(argc) == 0, surplus(8, 1.5, 2), narrow(-9), kept(argc), pointer(3),
           given(argc > 5 ? missing : surplus_of_one));
    fflush(stdout);
    if (argc > 1)
        missing(-1);
    return 0;
}
C
cat > lib/callee.c <<'C'
#include <stdio.h>
#include <stdlib.h>
static int kept(int x) { return x - 1; }
int missing(int a, double b, char *c)
{
    if (a < 0)
        abort();
    return a + (b == 0) + (c == NULL);
}
int ignored(int a) { return printf("ignored %d\n", kept(a)); }
void nothing(int a) { (void)a; }
int surplus(int a) { return a; }
int narrow(int n) { return n - 1; }
C
for source in lib/callee.c caller.c; do rankine cc -g -O1 -c $source -o ${source%.c}.o; done
ar rcs libcallee.a lib/callee.o
rankine cc -g caller.o -L. -lcallee -o calls.wasm 2> link.log
diff - link.log < /dev/null
expected="ignored 5
7 1 8 -10 101 5 9"
diff - <(rankine run calls.wasm) <<< "$expected"

# A program with adapters is linked twice, and traced once.
rankine cc -g caller.o -L. -lcallee -Wl,--trace -o traced.wasm > trace.log
if [ "$(grep -c '^caller\.o$' trace.log)" != 1 ] || [ -n "$(sort trace.log | uniq -d)" ]; then cat trace.log; exit 1; fi

# Lines are those of the source: nothing has moved.
if rankine run calls.wasm x > run.log 2>&1; then exit 1; fi
grep -q 'at missing (.*callee.c:7' run.log
grep -q 'at missing, called with other arguments' run.log
grep -q 'at main (.*caller.c:19' run.log

# An archive in which the callee comes first is asked for it by the call itself.
echo 'void middle(int n); int main(void) { middle(5); return 0; }' > main.c
echo 'void end(int n); void middle(int n) { end(n); end(n + 1); }' > middle.c
printf '#include <stdio.h>\nint end(int n) { return printf("%%d\\n", n); }\n' > end.c
for source in main middle end; do rankine cc -O1 -c $source.c -o $source.o; done
ar rcs libboth.a end.o middle.o
for flags in "" -s; do
    rankine cc $flags main.o libboth.a -o both.wasm
    diff - <(rankine run both.wasm) <<< $'5\n6'
done

# A weak definition is called as it is where it counts, and the one that takes its place as that is.
echo 'int hook(int a, int b); int main(void) { return hook(40, 2) - 42; }' > calls.c
echo '__attribute__((weak)) int hook(int a) { return a + 2; }' > weak.c
printf '#include <stdio.h>\nint hook(int a) { return puts("strong") < 0 ? 0 : a + 2; }\n' > strong.c
for source in calls weak strong; do rankine cc -O1 -c $source.c -o $source.o; done
for parts in 'calls.o weak.o' 'weak.o calls.o' 'calls.o weak.o strong.o' 'strong.o calls.o weak.o'; do
    # shellcheck disable=SC2086 # a word for each file
    rankine cc $parts -o hooked.wasm
    rankine run hooked.wasm > hooked.log
    case $parts in *strong*) grep -qx strong hooked.log ;; *) [ ! -s hooked.log ] ;; esac
done
# Where the two definitions have two types, and a caller perhaps a third, wasm-ld keeps neither.
printf 'int hook(int a, int b, int c) { return a + b + c; }\n' > other.c
echo 'int hook(int a); int shadowed(void) { return hook(1); } __attribute__((weak)) int hook(int a) { return a + 2; }' > shadow.c
for source in other shadow; do rankine cc -O1 -c $source.c -o $source.o; done
for parts in 'calls.o shadow.o other.o' 'other.o calls.o shadow.o'; do
    # shellcheck disable=SC2086 # a word for each file
    if rankine cc $parts -o hooked.wasm 2> hooked.log; then exit 1; fi
    grep -q 'rankine: error: the function hook is (i32.*(i32' hooked.log
    grep -q 'rankine: hook is defined more than once: give its definitions one type' hooked.log
done
# One that is nowhere is not called.
echo '__attribute__((weak)) int hook(int a, int b); int main(void) { return hook ? hook(1, 2) : 0; }' > asks.c
rankine cc asks.c -o asks.wasm
rankine run asks.wasm

# Nor when its address is taken, as every program with threads does, and another call needs an adapter.
echo '__attribute__((weak)) void hook(void); void (*volatile asked)(void); int main(void) { asked = hook; return asked || twice(2) != 4; }' > taken.c
echo 'long long twice(int a) { return 2 * a; }' > twice.c
for flags in "" "-pthread"; do
    # shellcheck disable=SC2086 # none, or one
    rankine cc -w -Wno-implicit-function-declaration $flags taken.c twice.c -o taken.wasm
    rankine run taken.wasm
done

# Stripped, and whichever comes first.
rankine cc -s lib/callee.o caller.o -o stripped.wasm 2> link.log
diff - link.log < /dev/null
diff - <(rankine run stripped.wasm) <<< "$expected"
if grep -aq 'signature_mismatch' stripped.wasm; then exit 1; fi

# What makes no sense natively either.
echo 'double area(double r); int main(void) { return (int)area(2); }' > wrong.c
echo 'double area(int *sides, int n) { return sides[0] * n; }' > area.c
if rankine cc wrong.c area.c -o wrong.wasm 2> wrong.log; then exit 1; fi
grep -q 'rankine: error: the function area is (f64) -> f64 in .*wrong.*, and (i32, i32) -> f64 in .*area' wrong.log
[ ! -e wrong.wasm ]

# The probe of a configure script, which is about the name.
echo 'char sqrt(void); int main(void) { return sqrt(); }' > probe.c
rankine cc -fno-builtin probe.c -lm -o probe.wasm 2> probe.log

# A program without `main`: the C library calls it weakly, and the linker alone would let that pass.
echo 'int helper(void) { return 1; }' > helper.c
for flags in "" "-g" "-s"; do
    # shellcheck disable=SC2086 # none, or one
    ! rankine cc $flags helper.c -o helper.wasm 2> helper.err || { echo "linked without main: $flags"; exit 1; }
    grep -q "undefined symbol: main" helper.err || { cat helper.err; exit 1; }
    [ ! -e helper.wasm ]
done
