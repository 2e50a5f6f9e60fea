// Fourier transforms of real arrays and back by fftw3.h, in one to three dimensions, of double and single precision; in place
// the rows are padded.
// ranks: 1 2
// native: no (FFTW may be missing)
// cc: -O1 -lfftw3 -lfftw3f -lm
#include "sums.h"

static void check(int n0, int n1, int n2, int in_place)
{
    int rows = n0 * n1, half = n2 / 2 + 1, pitch = in_place ? 2 * half : n2, n[] = {n0, n1, n2};
    fftw_complex *spectrum = fftw_alloc_complex(rows * half), *before = fftw_alloc_complex(rows * n2);
    double *array = in_place ? (double *)spectrum : fftw_alloc_real(rows * n2);
    fftw_plan there = n0 > 1 ? fftw_plan_dft_r2c_3d(n0, n1, n2, array, spectrum, FFTW_ESTIMATE)
                      : n1 > 1 ? fftw_plan_dft_r2c_2d(n1, n2, array, spectrum, FFTW_ESTIMATE)
                               : fftw_plan_dft_r2c_1d(n2, array, spectrum, FFTW_ESTIMATE);
    fftw_plan back = fftw_plan_dft_c2r(3, n, spectrum, array, FFTW_ESTIMATE);
    CHECK(there && back);
    for (int i = 0; i < rows * n2; i++)
        before[i] = array[i / n2 * pitch + i % n2] = number(i);
    fftw_execute(there);
    for (int row = 0; row < rows; row++)
        for (int k = 0; k < half; k++)
            NEAR(spectrum[row * half + k], sum(before, n0, n1, n2, row / n1, row % n1, k, -1));
    fftw_execute(back);
    for (int i = 0; i < rows * n2; i++)
        NEAR(array[i / n2 * pitch + i % n2] / (rows * n2), before[i]);
    fftw_destroy_plan(there);
    fftw_destroy_plan(back);
    if (!in_place)
        fftw_free(array);
    fftw_free(spectrum);
    fftw_free(before);
}

static void check_single(int n0, int n1)
{
    int half = n1 / 2 + 1, n = n0 * n1;
    fftwf_complex *spectrum = fftwf_alloc_complex(n0 * half), *whole = fftwf_alloc_complex(n);
    float *array = fftwf_alloc_real(n);
    fftw_complex *before = fftw_alloc_complex(n);
    fftwf_plan there = fftwf_plan_dft_r2c_2d(n0, n1, array, spectrum, FFTW_ESTIMATE);
    fftwf_plan in_place = fftwf_plan_dft_2d(n0, n1, whole, whole, FFTW_BACKWARD, FFTW_ESTIMATE);
    for (int i = 0; i < n; i++)
        before[i] = whole[i] = array[i] = number(i);
    fftwf_execute(there);
    fftwf_execute(in_place);
    for (int row = 0; row < n0; row++)
        for (int k = 0; k < half; k++) {
            NEAR_SINGLE(spectrum[row * half + k], sum(before, 1, n0, n1, 0, row, k, -1));
            NEAR_SINGLE(whole[row * n1 + k], sum(before, 1, n0, n1, 0, row, k, 1));
        }
    fftwf_destroy_plan(there);
    fftwf_destroy_plan(in_place);
    fftwf_free(array);
    fftwf_free(spectrum);
    fftwf_free(whole);
    fftw_free(before);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    for (int in_place = 0; in_place < 2; in_place++) {
        check(1, 1, 1, in_place);
        check(1, 1, 2, in_place);
        check(1, 1, 61, in_place);
        check(1, 1, 64, in_place);
        check(1, 7, 10, in_place);
        check(1, 16, 9, in_place);
        check(4, 3, 8, in_place);
    }
    check_single(12, 16);
    check_single(5, 59);
    return check_end();
}
