// Every routine that the host does in the guest's place gives what the compiled reference routine gives, for all kinds of
// numbers, forms, sides and triangles.
#include "../../guests/check.h"
#include <complex.h>
#include <math.h>

enum { SIDE = 70 };

// Between -1 and 1, of few bits: what is added up in another order is the same, or nearly.
static double drawn(void)
{
    static unsigned state = 12345;
    state = state * 1664525u + 1013904223u;
    return (int)(state >> 16) / 32768.0 - 1;
}

#define TEXT_OF(word) #word
#define TEXT(word) TEXT_OF(word)

#define KIND s
#define NUMBER float
#define REAL float
#define CONJUGATED(x) (x)
#define ABSOLUTE(x) fabsf(x)
#define NEAR 2e-4
#include "served_kind.h"

#define KIND d
#define NUMBER double
#define REAL double
#define CONJUGATED(x) (x)
#define ABSOLUTE(x) fabs(x)
#define NEAR 1e-12
#include "served_kind.h"

#define COMPLEX
#define KIND c
#define NUMBER float complex
#define REAL float
#define CONJUGATED(x) conjf(x)
#define ABSOLUTE(x) cabsf(x)
#define NEAR 2e-4
#include "served_kind.h"

#define KIND z
#define NUMBER double complex
#define REAL double
#define CONJUGATED(x) conj(x)
#define ABSOLUTE(x) cabs(x)
#define NEAR 1e-12
#include "served_kind.h"

// What the shim asks.
__attribute__((import_module("rankine_math"), import_name("dgemm"))) int host_dgemm(
    const char *, const char *, const int *, const int *, const int *, const double *, const double *, const int *,
    const double *, const int *, const double *, double *, const int *);

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    s_all();
    d_all();
    c_all();
    z_all();
    int one = 1, none = 0;
    double a = 3, b = 5, c = 7, factor = 1;
    CHECK_INT(host_dgemm("N", "T", &one, &one, &one, &factor, &a, &one, &b, &one, &factor, &c, &one), 1);
    CHECK(c == 22);
    // What is left to the compiled routine: nothing to do, and what it has words for.
    CHECK_INT(host_dgemm("N", "T", &one, &none, &one, &factor, &a, &one, &b, &one, &factor, &c, &one), 0);
    CHECK_INT(host_dgemm("X", "T", &one, &one, &one, &factor, &a, &one, &b, &one, &factor, &c, &one), 0);
    CHECK_INT(host_dgemm("N", "T", &one, &one, &one, &factor, &a, &none, &b, &one, &factor, &c, &one), 0);
    CHECK(c == 22);
    return check_end();
}
