// Many transforms at once, with strides: arrays one behind another and interleaved, parts of larger arrays, results in another
// order of dimensions, reversed ones. What lies between stays. Plans with other arrays than they were made for.
// ranks: 1 2
// native: no (FFTW may be missing)
// cc: -O1 -lfftw3 -lm
#include "sums.h"

enum { MANY = 5, N0 = 6, N1 = 10, HALF = N1 / 2 + 1, GAP = 3, SIZE = MANY * (N0 + 2) * (N1 + 2) * 2 };

static double complex in[SIZE], out[SIZE], values[N0 * N1];
static double reals[SIZE];

/* Compares `many` arrays of n0 x n1 with those of the input. */
static void check(int n0, int n1, const int from[3], const int to[3], int columns, int sign)
{
    for (int array = 0; array < MANY; array++) {
        for (int i = 0; i < n0 * n1; i++)
            values[i] = in[i / n1 * from[0] + i % n1 * from[1] + array * from[2]];
        for (int i = 0; i < n0 * n1; i++)
            if (i % n1 < columns) {
                double complex *at = &out[i / n1 * to[0] + i % n1 * to[1] + array * to[2]];
                NEAR(*at, sum(values, 1, n0, n1, 0, i / n1, i % n1, sign));
                *at = 777;
            }
    }
    for (int i = 0; i < SIZE; i++)
        CHECK(out[i] == 777);
}

static void run(fftw_plan plan)
{
    CHECK(plan != NULL);
    fftw_execute(plan);
    fftw_destroy_plan(plan);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    for (int i = 0; i < SIZE; i++)
        in[i] = number(i) + I * number(i + 7), out[i] = 777, reals[i] = number(i);
    const int n[] = {N0, N1}, within[] = {N0 + 1, N1 + 2};
    // One behind another, parts of larger arrays.
    int whole = within[0] * within[1], both[] = {within[1], 1, whole};
    run(fftw_plan_many_dft(2, n, MANY, in, within, 1, whole, out, within, 1, whole, FFTW_FORWARD, FFTW_ESTIMATE));
    check(N0, N1, both, both, N1, -1);
    // Interleaved in the input.
    run(fftw_plan_many_dft(2, n, MANY, in, NULL, MANY, 1, out, NULL, 1, N0 * N1, FFTW_BACKWARD, FFTW_ESTIMATE));
    check(N0, N1, (int[]){N1 * MANY, MANY, 1}, (int[]){N1, 1, N0 * N1}, N1, 1);
    // Lines with gaps.
    run(fftw_plan_many_dft(1, n + 1, MANY, in, NULL, GAP, N1 * GAP, out, NULL, GAP, N1 * GAP, FFTW_FORWARD, FFTW_ESTIMATE));
    check(1, N1, (int[]){0, GAP, N1 * GAP}, (int[]){0, GAP, N1 * GAP}, N1, -1);
    // The dimensions lie in the other order afterwards, and one is reversed.
    fftw_iodim dims[] = {{N0, N1, 1}, {N1, 1, -N0}}, many = {MANY, N0 * N1, N0 * N1};
    run(fftw_plan_guru_dft(2, dims, 1, &many, in, out + N0 * (N1 - 1), FFTW_FORWARD, FFTW_ESTIMATE));
    for (int i = 0; i < N0 * N1; i++)
        values[i] = in[i + (MANY - 1) * N0 * N1];
    for (int k0 = 0; k0 < N0; k0++)
        for (int k1 = 0; k1 < N1; k1++)
            NEAR(out[N0 * (N1 - 1) + k0 - k1 * N0 + (MANY - 1) * N0 * N1], sum(values, 1, N0, N1, 0, k0, k1, -1));
    for (int i = 0; i < SIZE; i++)
        out[i] = 777;
    // Real lines, of another array than that of the plan, and two loops over them.
    fftw_iodim line = {N1, 1, 1}, loops[] = {{MANY, N0 * N1, N0 * HALF}, {N0, N1, HALF}};
    fftw_plan plan = fftw_plan_guru_dft_r2c(1, &line, 2, loops, reals + 1, out + 1, FFTW_ESTIMATE);
    fftw_execute_dft_r2c(plan, reals, out);
    fftw_destroy_plan(plan);
    for (int row = 0; row < MANY * N0; row++) {
        for (int i = 0; i < N1; i++)
            values[i] = reals[row * N1 + i];
        for (int k = 0; k < HALF; k++)
            NEAR(out[row * HALF + k], sum(values, 1, 1, N1, 0, 0, k, -1));
    }
    // What can't be done.
    CHECK(!fftw_plan_dft_1d(0, in, out, FFTW_FORWARD, 0) && !fftw_plan_dft_1d(-4, in, out, FFTW_FORWARD, 0));
    CHECK(!fftw_plan_many_dft(1, n, 2, in, NULL, 1, N0, in, NULL, 2, 2 * N0, FFTW_FORWARD, 0));
    CHECK(!fftw_plan_dft_c2r(2, n, in, reals, FFTW_PRESERVE_INPUT));
    return check_end();
}
