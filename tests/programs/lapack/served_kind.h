// The checks of served.c for one kind of numbers: KIND is its letter, NUMBER its type, REAL that of its parts, CONJUGATED the
// conjugate of a number and NEAR how far results may be apart.

#define JOINED(a, b, c) a##b##c
#define JOIN(a, b, c) JOINED(a, b, c)
#define SERVED(name) JOIN(KIND, name, _)
#define COMPILED(name) JOIN(compiled_, SERVED(name), )
#define LOCAL(name) JOIN(KIND, _, name)
#define TWICE(name, ...) void SERVED(name)(__VA_ARGS__), COMPILED(name)(__VA_ARGS__)

TWICE(gemm, const char *, const char *, const int *, const int *, const int *, const void *, const void *, const int *,
      const void *, const int *, const void *, void *, const int *, size_t, size_t);
TWICE(symm, const char *, const char *, const int *, const int *, const void *, const void *, const int *, const void *,
      const int *, const void *, void *, const int *, size_t, size_t);
TWICE(syrk, const char *, const char *, const int *, const int *, const void *, const void *, const int *, const void *,
      void *, const int *, size_t, size_t);
TWICE(syr2k, const char *, const char *, const int *, const int *, const void *, const void *, const int *, const void *,
      const int *, const void *, void *, const int *, size_t, size_t);
TWICE(trmm, const char *, const char *, const char *, const char *, const int *, const int *, const void *, const void *,
      const int *, void *, const int *, size_t, size_t, size_t, size_t);
TWICE(trsm, const char *, const char *, const char *, const char *, const int *, const int *, const void *, const void *,
      const int *, void *, const int *, size_t, size_t, size_t, size_t);
#ifndef WITHOUT_LAPACK
TWICE(getrf, const int *, const int *, void *, const int *, int *, int *);
TWICE(potrf, const char *, const int *, void *, const int *, int *, size_t);
#endif
#ifdef COMPLEX
TWICE(hemm, const char *, const char *, const int *, const int *, const void *, const void *, const int *, const void *,
      const int *, const void *, void *, const int *, size_t, size_t);
TWICE(herk, const char *, const char *, const int *, const int *, const void *, const void *, const int *, const void *,
      void *, const int *, size_t, size_t);
TWICE(her2k, const char *, const char *, const int *, const int *, const void *, const void *, const int *, const void *,
      const int *, const void *, void *, const int *, size_t, size_t);
#endif

static NUMBER LOCAL(a)[SIDE * SIDE], LOCAL(b)[SIDE * SIDE], LOCAL(c)[2][SIDE * SIDE];

static NUMBER LOCAL(drawn)(void)
{
#ifdef COMPLEX
    REAL re = drawn();
    return re + (REAL)drawn() * I;
#else
    return drawn();
#endif
}

// Fills both results with the same numbers, and the factors with others.
static void LOCAL(draw)(void)
{
    for (int i = 0; i < SIDE * SIDE; i++) {
        LOCAL(a)[i] = LOCAL(drawn)();
        LOCAL(b)[i] = LOCAL(drawn)();
        LOCAL(c)[0][i] = LOCAL(c)[1][i] = LOCAL(drawn)();
    }
}

// Makes `a` Hermitian and positive, and its triangles such that equations with them can be solved well.
static void LOCAL(strengthen)(NUMBER *a)
{
    for (int j = 0; j < SIDE; j++) {
        for (int i = 0; i < j; i++) {
            a[j * SIDE + i] /= SIDE;
            a[i * SIDE + j] = CONJUGATED(a[j * SIDE + i]);
        }
        a[j * SIDE + j] = 2 + drawn();
    }
}

static void LOCAL(compare)(const char *what, const char *how, int m, int n)
{
    for (int i = 0; i < SIDE * SIDE; i++) {
        double apart = (double)ABSOLUTE(LOCAL(c)[0][i] - LOCAL(c)[1][i]);
        if (!(apart <= NEAR * SIDE))
            check_fail(__FILE__, __LINE__, what, "%s, kind %s, %d x %d: element %d is off by %g", how, TEXT(KIND), m, n, i, apart);
    }
}

static void LOCAL(products)(int m, int n, int k)
{
    NUMBER alpha = LOCAL(drawn)(), beta = LOCAL(drawn)();
    int leading = SIDE;
    for (const char *ta = "NTC"; *ta; ta++)
        for (const char *tb = "ntc"; *tb; tb++) {
            LOCAL(draw)();
            SERVED(gemm)(ta, tb, &m, &n, &k, &alpha, LOCAL(a), &leading, LOCAL(b), &leading, &beta, LOCAL(c)[0], &leading, 1, 1);
            COMPILED(gemm)(ta, tb, &m, &n, &k, &alpha, LOCAL(a), &leading, LOCAL(b), &leading, &beta, LOCAL(c)[1], &leading, 1, 1);
            LOCAL(compare)("gemm", ta, m, n);
        }
}

#define WITH_ONE(name, side, upper, m, n, alpha, beta) do { \
        LOCAL(draw)(); \
        SERVED(name)(side, upper, &m, &n, alpha, LOCAL(a), &leading, LOCAL(b), &leading, beta, LOCAL(c)[0], &leading, 1, 1); \
        COMPILED(name)(side, upper, &m, &n, alpha, LOCAL(a), &leading, LOCAL(b), &leading, beta, LOCAL(c)[1], &leading, 1, 1); \
        LOCAL(compare)(#name, side, m, n); \
    } while (0)

#define WITH_ITSELF(name, upper, form, n, k, alpha, beta) do { \
        LOCAL(draw)(); \
        SERVED(name)(upper, form, &n, &k, alpha, LOCAL(a), &leading, beta, LOCAL(c)[0], &leading, 1, 1); \
        COMPILED(name)(upper, form, &n, &k, alpha, LOCAL(a), &leading, beta, LOCAL(c)[1], &leading, 1, 1); \
        LOCAL(compare)(#name, form, n, k); \
    } while (0)

static void LOCAL(symmetric)(int m, int n)
{
    NUMBER alpha = LOCAL(drawn)(), beta = LOCAL(drawn)();
    int leading = SIDE;
    for (const char *upper = "UL"; *upper; upper++) {
        for (const char *side = "LR"; *side; side++) {
            WITH_ONE(symm, side, upper, m, n, &alpha, &beta);
#ifdef COMPLEX
            WITH_ONE(hemm, side, upper, m, n, &alpha, &beta);
#endif
        }
        for (const char *form = "NT"; *form; form++) {
            WITH_ITSELF(syrk, upper, form, m, n, &alpha, &beta);
            WITH_ONE(syr2k, upper, form, m, n, &alpha, &beta);
        }
#ifdef COMPLEX
        REAL real[2] = {drawn(), drawn()};
        for (const char *form = "NC"; *form; form++) {
            WITH_ITSELF(herk, upper, form, m, n, &real[0], &real[1]);
            WITH_ONE(her2k, upper, form, m, n, &alpha, &real[1]);
        }
#endif
    }
}

static void LOCAL(triangles)(int m, int n)
{
    NUMBER alpha = LOCAL(drawn)();
    int leading = SIDE;
    for (const char *side = "LR"; *side; side++)
        for (const char *upper = "UL"; *upper; upper++)
            for (const char *form = "NTC"; *form; form++)
                for (const char *unit = "UN"; *unit; unit++) {
                    LOCAL(draw)();
                    LOCAL(strengthen)(LOCAL(a));
                    SERVED(trmm)(side, upper, form, unit, &m, &n, &alpha, LOCAL(a), &leading, LOCAL(c)[0], &leading, 1, 1, 1, 1);
                    COMPILED(trmm)(side, upper, form, unit, &m, &n, &alpha, LOCAL(a), &leading, LOCAL(c)[1], &leading, 1, 1, 1, 1);
                    LOCAL(compare)("trmm", form, m, n);
                    SERVED(trsm)(side, upper, form, unit, &m, &n, &alpha, LOCAL(a), &leading, LOCAL(c)[0], &leading, 1, 1, 1, 1);
                    COMPILED(trsm)(side, upper, form, unit, &m, &n, &alpha, LOCAL(a), &leading, LOCAL(c)[1], &leading, 1, 1, 1, 1);
                    LOCAL(compare)("trsm", form, m, n);
                }
}

#ifndef WITHOUT_LAPACK
static void LOCAL(factorisations)(int m, int n)
{
    int leading = SIDE, info[2] = {-1, -1}, pivots[2][SIDE] = {{0}};
    LOCAL(draw)();
    SERVED(getrf)(&m, &n, LOCAL(c)[0], &leading, pivots[0], &info[0]);
    COMPILED(getrf)(&m, &n, LOCAL(c)[1], &leading, pivots[1], &info[1]);
    CHECK_INT(info[0], info[1]);
    CHECK(memcmp(pivots[0], pivots[1], sizeof pivots[0]) == 0);
    LOCAL(compare)("getrf", "", m, n);
    for (const char *upper = "UL"; *upper; upper++) {
        LOCAL(draw)();
        LOCAL(strengthen)(LOCAL(c)[0]);
        memcpy(LOCAL(c)[1], LOCAL(c)[0], sizeof LOCAL(c)[0]);
        SERVED(potrf)(upper, &m, LOCAL(c)[0], &leading, &info[0], 1);
        COMPILED(potrf)(upper, &m, LOCAL(c)[1], &leading, &info[1], 1);
        CHECK_INT(info[0], info[1]);
        LOCAL(compare)("potrf", upper, m, m);
    }
}
#endif

static void LOCAL(all)(void)
{
    static const int shapes[][3] = {{1, 1, 1}, {3, 7, 5}, {16, 40, 33}, {57, 19, 64}, {SIDE, SIDE, SIDE}, {2, 0, 3}};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        LOCAL(products)(shapes[i][0], shapes[i][1], shapes[i][2]);
        LOCAL(symmetric)(shapes[i][0], shapes[i][1]);
        LOCAL(triangles)(shapes[i][0], shapes[i][1]);
#ifndef WITHOUT_LAPACK
        LOCAL(factorisations)(shapes[i][0], shapes[i][1]);
#endif
    }
}

#undef KIND
#undef NUMBER
#undef REAL
#undef CONJUGATED
#undef ABSOLUTE
#undef NEAR
