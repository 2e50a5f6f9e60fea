# What a configure script is told of functions: those that can only fail are absent, those that are macros or instructions are
# there, and clang survives the questions. A program that calls what can only fail links all the same.
ask() {
    printf 'char %s ();\nint main (void) { return %s (); }\n' "$1" "$1" > conftest.c
    rankine cc -o conftest conftest.c > conftest.log 2>&1
}
for name in posix_memalign setjmp longjmp siglongjmp sigsetjmp isnan isinf fpclassify gamma dup isatty fallocate getcwd chdir \
    statvfs random_r ftw flock; do
    ask "$name" || { echo "$name is missing"; cat conftest.log; exit 1; }
done
for name in fork vfork execv pipe popen mkfifo chroot socket shm_open mprotect getcontext wordexp timer_create \
    feenableexcept; do
    if ask "$name"; then echo "$name is there"; exit 1; fi
done
# With threads, too.
printf 'char pthread_create ();\nint main (void) { return pthread_create (); }\n' > conftest.c
rankine cc -pthread -o conftest conftest.c
# A language that is said is that of the sources: also of one from standard input.
echo 'int main(void) { return 0; }' > source.inc
rankine cc -x c source.inc -o source.wasm
rankine cc -x c - -o source.wasm < source.inc
rankine c++ -xc++ source.inc -o source.wasm
rankine run source.wasm
cat > calls.c <<'C'
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <unistd.h>
static jmp_buf place;
int main(void)
{
#ifndef __unix__
    return 2;
#endif
    if (sigsetjmp(place, 1) == 0)
        siglongjmp(place, 1);
    printf("%d %d %d %.4f\n", fork(), errno == ENOSYS, isnan(NAN) != 0, gamma(10));
    return 0;
}
C
rankine cc calls.c -lm -o calls.wasm
[ "$(rankine run calls.wasm)" = '-1 1 1 12.8018' ]
