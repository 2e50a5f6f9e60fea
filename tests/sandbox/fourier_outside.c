// A transform whose last line ends a number past the end of memory.
// ranks: 1 2
// exit: 134
// stderr: dft_z2z: the output of a transform, bytes
#include "fourier.h"

int main(int argc, char **argv)
{
    hostile_begin(&argc, &argv);
    static double a[64];
    Axis line = {8, 1, 1}, lines = {4, 0, 8};
    char *last = near_end(4 * 8 * 16);
    if (host_z2z(1, &line, 1, &lines, a, last, -1))
        host_z2z(1, &line, 1, &lines, a, last + 8, -1);
    return check_end();
}
