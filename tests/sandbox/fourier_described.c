// Dimensions that are not in the memory.
// ranks: 1 2
// exit: 134
// stderr: dft_z2d: argument 2: 24 bytes at address
#include "fourier.h"

int main(int argc, char **argv)
{
    hostile_begin(&argc, &argv);
    static double a[64];
    host_z2d(2, near_end(20), 0, 0, a, a);
    return check_end();
}
