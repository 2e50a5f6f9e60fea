// What no program should ask of the host's mathematics: it does nothing of it, or computes something, and nobody notices.
// ranks: 1 2
#include "math.h"
#include <limits.h>
#include <math.h>

enum { N = 40 };

static double a[N * N], before[N * N];
static int pivots[N];

static void fill(double value)
{
    for (int i = 0; i < N * N; i++)
        a[i] = before[i] = value + i % 7;
}

int main(int argc, char **argv)
{
    hostile_begin(&argc, &argv);
    static const int odd[] = {0, -1, INT_MIN, N - 1};
    fill(1);
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        CHECK_INT(product(N, a, odd[i], a, N, a, N), 0);
        CHECK_INT(product(N, a, N, a, odd[i], a, N), 0);
        CHECK_INT(product(N, a, N, a, N, a, odd[i]), 0);
        if (odd[i] <= 0)
            CHECK_INT(product(odd[i], a, N, a, N, a, N), 0);
    }
    // Numbers at odd addresses, letters that mean nothing, no factor.
    int n = N, info = 77;
    double zero = 0;
    CHECK_INT(product(N - 1, (char *)a + 4, N, a, N, a, N), 0);
    CHECK_INT(host_dtrsm("X", "U", "N", "N", &n, &n, &one, a, &n, a, &n), 0);
    CHECK_INT(host_dtrsm("L", "\xff", "N", "N", &n, &n, &one, a, &n, a, &n), 0);
    CHECK_INT(host_dgemm("N", "N", &n, &n, &n, &zero, near_end(1), &n, a, &n, &one, a, &n), 0);
    CHECK_INT(host_dpotrf("", &n, a, &n, &info), 0);
    CHECK_INT(memcmp(a, before, sizeof a), 0);
    CHECK_INT(info, 77);

    // The result is a factor, and overlaps itself; the result of a call is where its arguments are.
    CHECK_INT(product(N, a, N, a, N, a, N), 1);
    CHECK_INT(product(N - 1, a, N, a, N, a + 1, N - 1), 1);
    CHECK_INT(host_dtrsm("R", "U", "T", "N", &n, &n, &one, a, &n, a, &n), 1);
    CHECK_INT(host_dgetrf(&n, &n, a, &n, a, a + 1), 1);
    int overwritten = N;
    CHECK_INT(host_dpotrf("L", &overwritten, a, &n, &overwritten), 1);

    // Numbers that are none decide nothing.
    for (int i = 0; i < N * N; i++)
        a[i] = i % 3 ? NAN : i % 2 ? INFINITY : -INFINITY;
    CHECK_INT(host_dgetrf(&n, &n, a, &n, pivots, &info), 1);
    for (int i = 0; i < N; i++)
        CHECK(pivots[i] >= i + 1 && pivots[i] <= N);
    CHECK_INT(host_dpotrf("U", &n, a, &n, &info), 1);
    CHECK_INT(info, 1);
    still_fine();
    return check_end();
}
