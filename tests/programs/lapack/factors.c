// Factorisations by the host, whoever does them there: the factors give the matrix again, for all kinds of numbers and forms of
// matrices, and what has none is told.
#ifndef KIND
#include "../../guests/check.h"
#include <complex.h>
#include <math.h>

enum { SIDE = 150 };

static double drawn(void)
{
    static unsigned state = 777;
    state = state * 1664525u + 1013904223u;
    return (int)(state >> 16) / 32768.0 - 1;
}

static int pivots[SIDE + 1];

#define JOINED(a, b) a##b
#define JOIN(a, b) JOINED(a, b)
#define TEXT_OF(word) #word
#define TEXT(word) TEXT_OF(word)
#define LOCAL(name) JOIN(KIND, name)

#define KIND s
#define NUMBER float
#define NEAR 2e-3
#include "factors.c"
#define KIND d
#define NUMBER double
#define NEAR 1e-11
#include "factors.c"
#define KIND c
#define NUMBER float complex
#define NEAR 2e-3
#include "factors.c"
#define KIND z
#define NUMBER double complex
#define NEAR 1e-11
#include "factors.c"

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    s_all();
    d_all();
    c_all();
    z_all();
    return check_end();
}

#else

__attribute__((import_module("rankine_math"), import_name(TEXT(LOCAL(getrf))))) int LOCAL(_getrf)(
    const int *, const int *, void *, const int *, int *, int *);
__attribute__((import_module("rankine_math"), import_name(TEXT(LOCAL(potrf))))) int LOCAL(_potrf)(
    const char *, const int *, void *, const int *, int *);

static NUMBER LOCAL(_a)[SIDE * SIDE], LOCAL(_f)[SIDE * SIDE];

static void LOCAL(_near)(const char *what, int m, int n, NUMBER one, NUMBER other)
{
    if (!(cabs((double complex)(one - other)) <= NEAR))
        check_fail(__FILE__, __LINE__, what, "kind %s, %d x %d: off by %g", TEXT(KIND), m, n, cabs((double complex)(one - other)));
}

static void LOCAL(_draw)(void)
{
    for (int i = 0; i < SIDE * SIDE; i++)
        LOCAL(_a)[i] = (NUMBER)(drawn() + drawn() * I);
}

static void LOCAL(_lu)(int m, int n)
{
    int leading = SIDE, info = 7, least = m < n ? m : n;
    NUMBER *a = LOCAL(_a), *f = LOCAL(_f);
    LOCAL(_draw)();
    memcpy(f, a, sizeof LOCAL(_a));
    pivots[least] = 12345;
    CHECK_INT(LOCAL(_getrf)(&m, &n, f, &leading, pivots, &info), 1);
    CHECK_INT(info, 0);
    CHECK_INT(pivots[least], 12345);
    for (int k = 0; k < least; k++) {
        CHECK(pivots[k] > k && pivots[k] <= m);
        for (int j = 0; j < n; j++) {
            NUMBER *one = &a[j * SIDE + k], *other = &a[j * SIDE + pivots[k] - 1], kept = *one;
            *one = *other;
            *other = kept;
        }
    }
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < m; i++) {
            NUMBER sum = 0;
            for (int k = 0; k <= i && k <= j && k < least; k++)
                sum += (i == k ? 1 : f[k * SIDE + i]) * f[j * SIDE + k];
            LOCAL(_near)("getrf", m, n, sum, a[j * SIDE + i]);
        }
        // What lies between the columns is nobody's affair.
        for (int i = m; i < SIDE; i++)
            CHECK(f[j * SIDE + i] == a[j * SIDE + i]);
    }
}

static void LOCAL(_cholesky)(const char *triangle, int n)
{
    int leading = SIDE, info = 7, is_upper = *triangle == 'U' || *triangle == 'u';
    NUMBER *a = LOCAL(_a), *f = LOCAL(_f);
    LOCAL(_draw)();
    for (int j = 0; j < n; j++) {
        a[j * SIDE + j] = (NUMBER)(2 * n);
        for (int i = 0; i < j; i++)
            a[i * SIDE + j] = (NUMBER)conj((double complex)a[j * SIDE + i]);
    }
    memcpy(f, a, sizeof LOCAL(_a));
    CHECK_INT(LOCAL(_potrf)(triangle, &n, f, &leading, &info), 1);
    CHECK_INT(info, 0);
    for (int j = 0; j < n; j++) {
        for (int i = j; i < n; i++) {
            double complex sum = 0;
            for (int k = 0; k <= j; k++)
                sum += is_upper ? conj((double complex)f[i * SIDE + k]) * f[j * SIDE + k]
                                : f[k * SIDE + i] * conj((double complex)f[k * SIDE + j]);
            LOCAL(_near)(triangle, n, n, (NUMBER)(sum / n), (NUMBER)((double complex)a[j * SIDE + i] / n));
        }
    }
    // The third leading minor is not positive.
    memcpy(f, a, sizeof LOCAL(_a));
    if (n > 2) {
        f[2 * SIDE + 2] = -1;
        CHECK_INT(LOCAL(_potrf)(triangle, &n, f, &leading, &info), 1);
        CHECK_INT(info, 3);
    }
}

static void LOCAL(_all)(void)
{
    static const int sides[] = {1, 2, 7, 33, 100, SIDE};
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++)
            LOCAL(_lu)(sides[i], sides[j]);
        LOCAL(_cholesky)("U", sides[i]);
        LOCAL(_cholesky)("l", sides[i]);
    }
    // A column of zeroes has no pivot.
    int n = 3, info = 0;
    memset(LOCAL(_f), 0, sizeof LOCAL(_f));
    LOCAL(_f)[0] = LOCAL(_f)[8] = 1;
    CHECK_INT(LOCAL(_getrf)(&n, &n, LOCAL(_f), &n, pivots, &info), 1);
    CHECK_INT(info, 2);
    // Numbers that are none choose nothing outside.
    for (int i = 0; i < SIDE * SIDE; i++)
        LOCAL(_f)[i] = (NUMBER)NAN;
    n = SIDE;
    CHECK_INT(LOCAL(_getrf)(&n, &n, LOCAL(_f), &n, pivots, &info), 1);
}

#undef KIND
#undef NUMBER
#undef NEAR
#endif
