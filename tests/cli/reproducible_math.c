// With --reproducible the host leaves mathematics to what the guest was compiled with: the bits are those of one order of
// sums.
// ranks: 1 2
// run: --reproducible
// cc: -lblas
#include "../sandbox/math.h"

enum { N = 100 };

void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *, const double *, const int *,
            const double *, const int *, const double *, double *, const int *, size_t, size_t);
void compiled_dgemm_(const char *, const char *, const int *, const int *, const int *, const double *, const double *,
                     const int *, const double *, const int *, const double *, double *, const int *, size_t, size_t);

static double a[N * N], results[2][N * N];

int main(int argc, char **argv)
{
    int n = N;
    double zero = 0;
    check_begin(&argc, &argv);
    for (int i = 0; i < N * N; i++)
        a[i] = 1 / (i + 1.0);
    CHECK_INT(product(N, a, N, a, N, results[0], N), 0);
    dgemm_("N", "T", &n, &n, &n, &one, a, &n, a, &n, &zero, results[0], &n, 1, 1);
    compiled_dgemm_("N", "T", &n, &n, &n, &one, a, &n, a, &n, &zero, results[1], &n, 1, 1);
    CHECK_INT(memcmp(results[0], results[1], sizeof results[0]), 0);
    CHECK(results[0][0] > 0);
    return check_end();
}
