// A rank that transforms in the host, again and again at one place, when the job's time is up.
// ranks: 1
// run: --timeout 1
// exit: 124
#include "fourier.h"

enum { N = 1 << 16 };

int main(int argc, char **argv)
{
    hostile_begin(&argc, &argv);
    double *a = calloc(2 * N, sizeof *a);
    Axis line = {N, 1, 1}, loops[] = {{1 << 30, 0, 0}, {1 << 30, 0, 0}};
    host_z2z(1, &line, 2, loops, a, a, -1);
    return check_end();
}
