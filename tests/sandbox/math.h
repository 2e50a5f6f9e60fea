/* Functions of the host's mathematics as a guest can call them that keeps to nothing. They say whether the host did it. */
#ifndef MATH_H
#define MATH_H

#include "hostile.h"

#define HOST(name) __attribute__((import_module("rankine_math"), import_name(#name))) int host_##name

HOST(dgemm)(const char *, const char *, const int *, const int *, const int *, const double *, const void *, const int *,
            const void *, const int *, const double *, void *, const int *);
HOST(zgemm)(const char *, const char *, const int *, const int *, const int *, const void *, const void *, const int *,
            const void *, const int *, const void *, void *, const int *);
HOST(dtrsm)(const char *, const char *, const char *, const char *, const int *, const int *, const double *, const void *,
            const int *, void *, const int *);
HOST(dgetrf)(const int *, const int *, void *, const int *, void *, void *);
HOST(dpotrf)(const char *, const int *, void *, const int *, void *);

static const double one = 1;

/* A product of square matrices. */
static inline int product(int n, const void *a, int lda, const void *b, int ldb, void *c, int ldc)
{
    return host_dgemm("N", "T", &n, &n, &n, &one, a, &lda, b, &ldb, &one, c, &ldc);
}

#endif
