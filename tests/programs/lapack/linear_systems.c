// Systems of equations by LAPACK, through its C interface and by Fortran's names, and products through that of BLAS: what is
// found solves them, for matrices by columns and by rows.
#include "../../guests/check.h"
#include <cblas.h>
#include <lapacke.h>
#include <math.h>

enum { N = 150, RIGHT = 4 };

static double a[N * N], factors[N * N], b[N * RIGHT], x[N * RIGHT];

static void draw(int layout)
{
    srand(rank + 1);
    for (int i = 0; i < N * N; i++)
        a[i] = rand() / (double)RAND_MAX - 0.5;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < i; j++)
            a[i * N + j] = a[j * N + i];
    for (int i = 0; i < N; i++)
        a[i * N + i] += layout == LAPACK_COL_MAJOR ? N : 1;
    for (int i = 0; i < N * RIGHT; i++)
        x[i] = b[i] = rand() / (double)RAND_MAX;
    memcpy(factors, a, sizeof a);
}

// b - a x, which is nearly nothing.
static void check_solved(int layout)
{
    int leading = layout == LAPACK_COL_MAJOR ? N : RIGHT;
    cblas_dgemm(layout, CblasNoTrans, CblasNoTrans, N, RIGHT, N, -1, a, N, x, leading, 1, b, leading);
    for (int i = 0; i < N * RIGHT; i++)
        CHECK(fabs(b[i]) < 1e-9);
}

int main(int argc, char **argv)
{
    static int pivots[N], layouts[] = {LAPACK_COL_MAJOR, LAPACK_ROW_MAJOR};
    check_begin(&argc, &argv);
    for (int i = 0; i < 2; i++) {
        int layout = layouts[i], leading = layout == LAPACK_COL_MAJOR ? N : RIGHT;
        draw(layout);
        CHECK_INT(LAPACKE_dgesv(layout, N, RIGHT, factors, N, pivots, x, leading), 0);
        check_solved(layout);
    }
    draw(LAPACK_COL_MAJOR);
    CHECK_INT(LAPACKE_dposv(LAPACK_COL_MAJOR, 'U', N, RIGHT, factors, N, x, N), 0);
    check_solved(LAPACK_COL_MAJOR);

    int n = N, right = RIGHT, info = -1;
    draw(LAPACK_COL_MAJOR);
    dgesv_(&n, &right, factors, &n, pivots, x, &n, &info);
    CHECK_INT(info, 0);
    check_solved(LAPACK_COL_MAJOR);

    // What the host has nothing of stands on what it has: a least-squares problem, and eigenvalues, whose sum is the trace.
    draw(LAPACK_COL_MAJOR);
    CHECK_INT(LAPACKE_dgels(LAPACK_COL_MAJOR, 'N', N, N, RIGHT, factors, N, x, N), 0);
    check_solved(LAPACK_COL_MAJOR);
    draw(LAPACK_COL_MAJOR);
    static double values[N];
    double trace = 0, sum = 0;
    CHECK_INT(LAPACKE_dsyev(LAPACK_COL_MAJOR, 'V', 'L', N, factors, N, values), 0);
    for (int i = 0; i < N; i++) {
        trace += a[i * N + i];
        sum += values[i];
    }
    CHECK(fabs(trace - sum) < 1e-9 * trace);
    return check_end();
}
