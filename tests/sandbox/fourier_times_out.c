// A rank that transforms in the host, again and again, when the job's time is up.
// ranks: 1
// run: --timeout 1
// exit: 124
#include "fourier.h"

enum { N = 1 << 10, MANY = 1 << 14 };

int main(int argc, char **argv)
{
    hostile_begin(&argc, &argv);
    double *a = calloc(2 * N * MANY, sizeof *a);
    Axis line = {N, 1, 1}, loop = {MANY, N, N};
    for (;;)
        host_z2z(1, &line, 1, &loop, a, a, -1);
}
