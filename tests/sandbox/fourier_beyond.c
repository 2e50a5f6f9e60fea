// Strides and lengths whose products are beyond 64 bits.
// ranks: 1 2
// exit: 134
// stderr: dft_z2z: the input of a transform, bytes
#include "fourier.h"
#include <limits.h>

int main(int argc, char **argv)
{
    hostile_begin(&argc, &argv);
    static double a[64];
    Axis axes[8];
    for (int i = 0; i < 8; i++)
        axes[i] = (Axis){INT_MAX, i % 2 ? INT_MAX : INT_MIN, INT_MAX};
    host_z2z(8, axes, 8, axes, a, a, -1);
    return check_end();
}
