// Products by BLAS, by Fortran's names and by C's: what the host computes in the rank's memory is the sum that it should be, for parts of larger
// matrices and for transposed ones, and what lies around stays.
// ranks: 1 2
// native: no (natively these libraries are another installation's)
// cc: -O1 -lcblas -lblas
#include "../check.h"
#include <cblas.h>
#include <complex.h>

enum { M = 67, N = 45, K = 83, LEADING = 90 };

void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *, const double *, const int *,
            const double *, const int *, const double *, double *, const int *, size_t, size_t);

static double a[LEADING * LEADING], b[LEADING * LEADING], c[LEADING * LEADING], before[LEADING * LEADING];
static double complex za[LEADING * LEADING], zb[LEADING * LEADING], zc[LEADING * LEADING];

/* Small whole numbers: sums of their products are exact. */
static double number(int i)
{
    return (i * 37 + rank * 11) % 17 - 8;
}

static double sum(int i, int j, int transposed)
{
    double all = 0;
    for (int k = 0; k < K; k++)
        all += (transposed ? a[k + i * LEADING] : a[i + k * LEADING]) * b[k + j * LEADING];
    return all;
}

static void check(int transposed, double alpha, double beta)
{
    for (int j = 0; j < LEADING; j++)
        for (int i = 0; i < LEADING; i++) {
            double old = before[i + j * LEADING];
            CHECK(c[i + j * LEADING] == (i < M && j < N ? alpha * sum(i, j, transposed) + beta * old : old));
        }
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    for (int i = 0; i < LEADING * LEADING; i++) {
        a[i] = number(i), b[i] = number(3 * i + 1), before[i] = c[i] = number(7 * i + 2);
        za[i] = number(i) + I * number(i + 5), zb[i] = number(2 * i) - I * number(i + 9);
    }
    dgemm_("N", "N", &(int){M}, &(int){N}, &(int){K}, &(double){2}, a, &(int){LEADING}, b, &(int){LEADING}, &(double){-1}, c,
           &(int){LEADING}, 1, 1);
    check(0, 2, -1);
    memcpy(c, before, sizeof c);
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, M, N, K, 1, a, LEADING, b, LEADING, 3, c, LEADING);
    check(1, 1, 3);
    // The Hermitian of one by the other.
    double complex one = 1, none = 0, expected = 0;
    cblas_zgemm(CblasColMajor, CblasConjTrans, CblasNoTrans, M, N, K, &one, za, LEADING, zb, LEADING, &none, zc, LEADING);
    for (int k = 0; k < K; k++)
        expected += conj(za[k + 3 * LEADING]) * zb[k + 2 * LEADING];
    CHECK(zc[3 + 2 * LEADING] == expected);
    return check_end();
}
