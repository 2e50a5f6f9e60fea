// What numpy calls of BLAS and LAPACK: routines that ask the host first, as those of `-lblas` and `-llapack` do, and the interface
// for C over them. Behind a routine stands numpy's own of that name, which is renamed when its source is unpacked; it has no hidden
// lengths of strings.
#include <complex.h>
#include <stddef.h>

typedef float s;
typedef double d;
typedef float complex c;
typedef double complex z;

#define HOST(name) __attribute__((import_module("rankine_math"), import_name(#name)))

#define POINTERS5 void *a0, void *a1, void *a2, void *a3, void *a4
#define VALUES5 a0, a1, a2, a3, a4
#define POINTERS6 POINTERS5, void *a5
#define VALUES6 VALUES5, a5
#define POINTERS10 POINTERS6, void *a6, void *a7, void *a8, void *a9
#define VALUES10 VALUES6, a6, a7, a8, a9
#define POINTERS11 POINTERS10, void *a10
#define VALUES11 VALUES10, a10
#define POINTERS12 POINTERS11, void *a11
#define VALUES12 VALUES11, a11
#define POINTERS13 POINTERS12, void *a12
#define VALUES13 VALUES12, a12

#define SERVED(name, count) \
    HOST(name) int host_##name(POINTERS##count); \
    int compiled_##name##_(POINTERS##count); \
    int name##_(POINTERS##count) { return host_##name(VALUES##count) ? 0 : compiled_##name##_(VALUES##count); }

#define SERVED_IN_ALL(rest, count) SERVED(s##rest, count) SERVED(d##rest, count) SERVED(c##rest, count) SERVED(z##rest, count)

SERVED_IN_ALL(gemm, 13)
SERVED_IN_ALL(trmm, 11)
SERVED_IN_ALL(trsm, 11)
SERVED_IN_ALL(getrf, 6)
SERVED_IN_ALL(potrf, 5)
SERVED(ssyrk, 10)
SERVED(dsyrk, 10)
SERVED(cherk, 10)
SERVED(zherk, 10)
SERVED(ssyr2k, 12)
SERVED(dsyr2k, 12)
SERVED(cher2k, 12)
SERVED(zher2k, 12)

// numpy has no other of these. It fills the other triangle itself, so a product of whole matrices will do.
#define SYRK(name, gemm) \
    HOST(name) int host_##name(POINTERS10); \
    static int name##_(char *uplo, char *trans, int *n, int *k, void *alpha, void *a, int *lda, void *beta, void *out, int *ldc) \
    { \
        char other = *trans == 'N' ? 'T' : 'N'; \
        if (!host_##name(uplo, trans, n, k, alpha, a, lda, beta, out, ldc)) \
            gemm(trans, &other, n, n, k, alpha, a, lda, a, lda, beta, out, ldc); \
        return 0; \
    }
SYRK(csyrk, cgemm_)
SYRK(zsyrk, zgemm_)

enum { ROW_MAJOR = 101, NO_TRANS = 111, TRANS = 112, CONJ_TRANS = 113, UPPER = 121 };

static char letter(int trans)
{
    return trans == NO_TRANS ? 'N' : trans == TRANS ? 'T' : 'C';
}

// The first of `n` numbers, whichever way they lie.
#define FIRST(at, n, inc) ((at) + ((inc) < 0 ? (ptrdiff_t)(1 - (n)) * (inc) : 0))

// Sums that don't wait for each other.
#define DOT(T, name, conjugate) \
    static T name(int n, const T *x, int incx, const T *y, int incy) \
    { \
        T sums[4] = {0, 0, 0, 0}; \
        int i = 0; \
        x = FIRST(x, n, incx), y = FIRST(y, n, incy); \
        if (incx == 1 && incy == 1) \
            for (; i + 4 <= n; i += 4) \
                for (int lane = 0; lane < 4; lane++) \
                    sums[lane] += conjugate(x[i + lane]) * y[i + lane]; \
        for (; i < n; i++) \
            sums[0] += conjugate(x[(ptrdiff_t)i * incx]) * y[(ptrdiff_t)i * incy]; \
        return (sums[0] + sums[1]) + (sums[2] + sums[3]); \
    }
DOT(s, sdot, )
DOT(d, ddot, )
DOT(c, cdotu, )
DOT(c, cdotc, conjf)
DOT(z, zdotu, )
DOT(z, zdotc, conj)

// A row-major matrix is the transpose of a column-major one.
#define REST(T, SCALAR, VALUE, prefix, dot) \
    void cblas_##prefix##axpy(int n, SCALAR(T) alpha, const void *from, int incx, void *to, int incy) \
    { \
        const T factor = VALUE(T, alpha), *x = FIRST((const T *)from, n, incx); \
        T *y = FIRST((T *)to, n, incy); \
        for (ptrdiff_t i = 0; i < n; i++) \
            y[i * incy] += factor * x[i * incx]; \
    } \
    void cblas_##prefix##gemv(int order, int trans, int m, int n, SCALAR(T) alpha, const void *matrix, int lda, const void *from, int incx, \
                              SCALAR(T) beta, void *to, int incy) \
    { \
        const int along = order == ROW_MAJOR ? n : m, across = order == ROW_MAJOR ? m : n; \
        const int is_sums = (trans == NO_TRANS) == (order == ROW_MAJOR); \
        const T factor = VALUE(T, alpha), old = VALUE(T, beta), *a = matrix, *x = from; \
        T *y = FIRST((T *)to, is_sums ? across : along, incy); \
        for (ptrdiff_t i = 0; i < (is_sums ? across : along); i++) \
            y[i * incy] = old == 0 ? 0 : old * y[i * incy]; \
        if (!is_sums) \
            x = FIRST(x, across, incx); \
        for (ptrdiff_t j = 0; j < across; j++) \
            if (is_sums) { \
                y[j * incy] += factor * dot(along, a + j * lda, 1, x, incx); \
            } else { \
                const T value = factor * x[j * incx]; \
                for (ptrdiff_t i = 0; i < along; i++) \
                    y[i * incy] += value * a[j * lda + i]; \
            } \
    } \
    void cblas_##prefix##gemm(int order, int transa, int transb, int m, int n, int k, SCALAR(T) alpha, const void *a, int lda, const void *b, int ldb, \
                              SCALAR(T) beta, void *out, int ldc) \
    { \
        char la = letter(transa), lb = letter(transb); \
        T factor = VALUE(T, alpha), old = VALUE(T, beta); \
        if (order == ROW_MAJOR) \
            prefix##gemm_(&lb, &la, &n, &m, &k, &factor, (void *)b, &ldb, (void *)a, &lda, &old, out, &ldc); \
        else \
            prefix##gemm_(&la, &lb, &m, &n, &k, &factor, (void *)a, &lda, (void *)b, &ldb, &old, out, &ldc); \
    } \
    void cblas_##prefix##syrk(int order, int uplo, int trans, int n, int k, SCALAR(T) alpha, const void *a, int lda, SCALAR(T) beta, void *out, int ldc) \
    { \
        char triangle = (uplo == UPPER) == (order == ROW_MAJOR) ? 'L' : 'U', turned = (trans == NO_TRANS) == (order == ROW_MAJOR) ? 'T' : 'N'; \
        T factor = VALUE(T, alpha), old = VALUE(T, beta); \
        prefix##syrk_(&triangle, &turned, &n, &k, &factor, (void *)a, &lda, &old, out, &ldc); \
    }

// Real factors are values, complex ones pointers.
#define OWN(T) T
#define OWN_VALUE(T, scalar) (scalar)
#define POINTED(T) const void *
#define POINTED_VALUE(T, scalar) (*(const T *)(scalar))
REST(s, OWN, OWN_VALUE, s, sdot)
REST(d, OWN, OWN_VALUE, d, ddot)
REST(c, POINTED, POINTED_VALUE, c, cdotu)
REST(z, POINTED, POINTED_VALUE, z, zdotu)

s cblas_sdot(int n, const s *x, int incx, const s *y, int incy)
{
    return sdot(n, x, incx, y, incy);
}

d cblas_ddot(int n, const d *x, int incx, const d *y, int incy)
{
    return ddot(n, x, incx, y, incy);
}

#define COMPLEX_DOT(T, name) \
    void cblas_##name##_sub(int n, const void *x, int incx, const void *y, int incy, void *sum) { *(T *)sum = name(n, x, incx, y, incy); }
COMPLEX_DOT(c, cdotu)
COMPLEX_DOT(c, cdotc)
COMPLEX_DOT(z, zdotu)
COMPLEX_DOT(z, zdotc)
