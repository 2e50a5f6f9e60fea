// A result that ends a number past the end of memory.
// ranks: 1 2
// exit: 134
// stderr: dpotrf: a matrix of 64 x 64, leading dimension 64, argument 3: 32768 bytes at address
#include "math.h"

int main(int argc, char **argv)
{
    hostile_begin(&argc, &argv);
    int n = 64, info;
    double *last = near_end(n * n * sizeof *last);
    host_dpotrf("L", &n, last, &n, &info);
    host_dpotrf("L", &n, last + 1, &n, &info);
    return check_end();
}
