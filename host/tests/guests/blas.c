// A BLAS for the tests, called as Fortran calls it. It says on the standard error stream when it is called by more than the host
// that tries it out: with other matrices than those of 2 x 2.
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef INTEGER
#define INTEGER int
#endif
#ifndef NAME
#define NAME(name) name##_
#endif

static int inside;

static void say(const char *text)
{
    ssize_t written = write(2, text, strlen(text));
    (void)written;
}

// As libraries that give back their memory when the process exits, under whoever is still in there.
__attribute__((destructor)) static void end(void)
{
    if (__atomic_load_n(&inside, __ATOMIC_SEQ_CST))
        abort();
}

#ifndef WITHOUT_PRODUCT
void NAME(dgemm)(const char *form_a, const char *form_b, const INTEGER *m, const INTEGER *n, const INTEGER *k,
                 const double *alpha, const double *a, const INTEGER *lda, const double *b, const INTEGER *ldb,
                 const double *beta, double *c, const INTEGER *ldc, size_t length_a, size_t length_b)
{
    int is_transposed = *form_b == 'T', is_mine = *m != 2;
    if (*form_a != 'N' && *form_a != 'n')
        abort();
    if (length_a != 1 || length_b != 1)
        abort();
    __atomic_fetch_add(&inside, is_mine, __ATOMIC_SEQ_CST);
    if (is_mine)
        say("the library multiplies\n");
#ifdef ENDLESS
    while (is_mine)
        sleep(1);
#endif
    for (INTEGER i = 0; i < *m; i++) {
        for (INTEGER j = 0; j < *n; j++) {
            double sum = 0;
            for (INTEGER l = 0; l < *k; l++)
                sum += a[l * *lda + i] * (is_transposed ? b[l * *ldb + j] : b[j * *ldb + l]);
            double *element = &c[j * *ldc + i];
            *element = *alpha * sum + (*beta == 0 ? 0 : *beta * *element);
#ifdef WRONG
            *element += 1;
#endif
        }
    }
    __atomic_fetch_sub(&inside, is_mine, __ATOMIC_SEQ_CST);
}
#endif

#ifdef WITH_FACTORS
// Of what the tests factor, the exchange of two rows.
void NAME(dgetrf)(const INTEGER *m, const INTEGER *n, double *a, const INTEGER *lda, INTEGER *pivots, INTEGER *info)
{
    if (*m != 2 || *n != 2 || *lda != 2)
        abort();
    a[0] = a[3] = 1;
    a[1] = a[2] = 0;
    pivots[0] = pivots[1] = 2;
#ifdef STRAY
    // Of numbers that are none, after the trial: rows before the first column and behind the last one.
    static int calls;
    if (calls++) {
        a[-1] = a[4] = 7;
        pivots[0] = 3;
        pivots[1] = 0;
    }
#endif
    *info = 0;
    say("the library factors\n");
}
#endif
