// Pivots for which there is no room at the end of memory, for a matrix that is there.
// ranks: 1
// exit: 134
// stderr: dgetrf: IPIV: 256 bytes at address
#include "math.h"

int main(int argc, char **argv)
{
    hostile_begin(&argc, &argv);
    int n = 64, info;
    double *a = calloc(n * n, sizeof *a);
    host_dgetrf(&n, &n, a, &n, near_end(255), &info);
    return check_end();
}
