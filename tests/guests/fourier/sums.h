/* What the tests of fftw3.h share: transforms by their definition, and whether two numbers are near each other. */
#ifndef SUMS_H
#define SUMS_H

#include "../check.h"
#include <complex.h>
#include <fftw3.h>
#include <math.h>

/* Numbers without a pattern, other ones on each rank. */
static inline double number(int i)
{
    return (i * 37 + rank * 11) % 101 / 50.0 - 1 + sin(i);
}

/* Element `k` of the transform of n0 x n1 x n2 values that lie one behind another. */
static inline double complex sum(const double complex *values, int n0, int n1, int n2, int k0, int k1, int k2, int sign)
{
    double complex all = 0;
    for (int j0 = 0; j0 < n0; j0++)
        for (int j1 = 0; j1 < n1; j1++)
            for (int j2 = 0; j2 < n2; j2++) {
                double angle = 2 * M_PI * ((double)(j0 * k0 % n0) / n0 + (double)(j1 * k1 % n1) / n1 + (double)(j2 * k2 % n2) / n2);
                all += values[(j0 * n1 + j1) * n2 + j2] * cexp(sign * I * angle);
            }
    return all;
}

#define NEAR(actual, expected) CHECK(cabs((actual) - (expected)) < 1e-10)
#define NEAR_SINGLE(actual, expected) CHECK(cabs((actual) - (expected)) < 1e-3)

#endif
