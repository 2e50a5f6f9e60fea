# Objects and archives that were compiled without -pthread, with the other flags of either, in programs with threads and without; C++
# and Fortran among them.
cat > part.c <<'C'
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
static _Thread_local int own = 1;
int part(int x)
{
    char *text = malloc(32);
    errno = x;
    snprintf(text, 32, "%d", errno + own++);
    x = atoi(text);
    free(text);
    return x;
}
C
cat > more.cpp <<'C'
#include <memory>
#include <stdexcept>
#include <string>
struct Seen {
    std::string text = "more";
    ~Seen() { text.clear(); }
};
thread_local Seen seen;
// What is caught lies beside what a thread has of its own.
static int caught(int x)
{
    try {
        if (x)
            throw std::runtime_error(seen.text);
    } catch (const std::exception &error) {
        return x + (int)std::make_shared<std::string>(error.what())->size();
    }
    return -1;
}
extern "C" int more(int x) { return caught(x); }
C
cat > last.f90 <<'F'
integer(c_int) function last(x) bind(c)
  use iso_c_binding
  integer(c_int), value :: x
  integer(c_int), allocatable :: a(:)
  allocate (a(3), source=x)
  last = sum(a)
end function
F
cat > threads.c <<'C'
#include <pthread.h>
#include <stdio.h>
int part(int), EXTRA(int);
static void *run(void *x)
{
    *(int *)x = EXTRA(part(*(int *)x));
    return NULL;
}
int main(void)
{
    pthread_t threads[4];
    int x[4];
    for (int i = 0; i < 4; i++)
        if (x[i] = i, pthread_create(&threads[i], NULL, run, &x[i]) != 0)
            return 1;
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        printf("%d ", x[i]);
    }
    puts("");
    return 0;
}
C
cat > alone.c <<'C'
#include <stdio.h>
int part(int), EXTRA(int);
int main(void)
{
    printf("%d\n", EXTRA(part(0)));
    return 0;
}
C
rankine cc -O2 -c part.c
rankine c++ -O2 -c more.cpp
rankine fc -O2 -c last.f90
ar rcs libparts.a part.o more.o last.o
for extra in 'more c++ 5 6 7 8 ' 'last fc 3 6 9 12 '; do
    read -r name language first rest <<< "$extra"
    rankine cc -O2 -pthread -DEXTRA="$name" -c threads.c
    rankine "$language" -pthread threads.o libparts.a -o threads.wasm
    [ "$(rankine run threads.wasm)" = "$first $rest " ]
    rankine cc -O2 -DEXTRA="$name" -c alone.c
    rankine "$language" alone.o libparts.a -o alone.wasm
    [ "$(rankine run alone.wasm)" = "$first" ]
done
