// A rank that computes in the host when the job's time is up.
// ranks: 1
// run: --timeout 1
// exit: 124
#include "math.h"

enum { N = 4096 };

int main(int argc, char **argv)
{
    hostile_begin(&argc, &argv);
    double *a = calloc(2 * N * N, sizeof *a), factor[2] = {1, 0};
    int n = N;
    for (int i = 0; i < 100; i++)
        host_zgemm("N", "N", &n, &n, &n, factor, a, &n, a, &n, factor, a, &n);
    return check_end();
}
