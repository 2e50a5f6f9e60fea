// A leading dimension that is too small: the words of the reference BLAS, with the rank.
// ranks: 2
// native: no
// cc: -lblas
// exit: 1
// stderr: ** On entry to DGEMM parameter number  8 had an illegal value (rank 1)
#include "../guests/check.h"

void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *, const double *, const int *,
            const double *, const int *, const double *, double *, const int *);

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    if (rank == 1) {
        static double a[16];
        int n = 4, leading = 3;
        double one = 1;
        dgemm_("N", "N", &n, &n, &n, &one, a, &leading, a, &n, &one, a, &n);
    }
    return check_end();
}
