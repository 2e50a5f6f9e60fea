// Fourier transforms of complex arrays by fftw3.h, in one to three dimensions: each number is the sum that it should be, for
// lengths of all kinds, where the array lies and elsewhere, and the way back gives the array times its length.
// ranks: 1 2
// native: no (FFTW may be missing)
// cc: -O1 -lfftw3 -lm
#include "sums.h"

static void check(int n0, int n1, int n2, int in_place)
{
    int n = n0 * n1 * n2;
    fftw_complex *in = fftw_alloc_complex(n), *out = in_place ? in : fftw_alloc_complex(n), *before = fftw_alloc_complex(n);
    fftw_plan there, back;
    if (n0 == 1 && n1 == 1) {
        there = fftw_plan_dft_1d(n2, in, out, FFTW_FORWARD, FFTW_MEASURE);
        back = fftw_plan_dft_1d(n2, out, in, FFTW_BACKWARD, FFTW_ESTIMATE);
    } else if (n0 == 1) {
        there = fftw_plan_dft_2d(n1, n2, in, out, FFTW_FORWARD, FFTW_PATIENT);
        back = fftw_plan_dft(2, (int[]){n1, n2}, out, in, FFTW_BACKWARD, FFTW_ESTIMATE);
    } else {
        there = fftw_plan_dft_3d(n0, n1, n2, in, out, FFTW_FORWARD, FFTW_ESTIMATE);
        back = fftw_plan_dft_3d(n0, n1, n2, out, in, FFTW_BACKWARD, FFTW_ESTIMATE);
    }
    CHECK(there && back);
    for (int i = 0; i < n; i++)
        in[i] = before[i] = number(i) + I * number(3 * i + 1);
    fftw_execute(there);
    for (int k = 0; k < n; k += n > 100 ? n / 37 : 1)
        NEAR(out[k], sum(before, n0, n1, n2, k / n2 / n1, k / n2 % n1, k % n2, -1));
    fftw_execute(back);
    for (int i = 0; i < n; i++)
        NEAR(in[i] / n, before[i]);
    fftw_destroy_plan(there);
    fftw_destroy_plan(back);
    fftw_free(in);
    if (!in_place)
        fftw_free(out);
    fftw_free(before);
}

int main(int argc, char **argv)
{
    static const int lengths[] = {1, 2, 3, 4, 5, 7, 8, 12, 16, 30, 53, 59, 64, 101, 106, 128, 210, 1000, 1024, 1009};
    check_begin(&argc, &argv);
    for (int in_place = 0; in_place < 2; in_place++) {
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
            check(1, 1, lengths[i], in_place);
        check(1, 12, 16, in_place);
        check(1, 53, 59, in_place);
        check(6, 5, 8, in_place);
        check(2, 61, 9, in_place);
    }
    return check_end();
}
