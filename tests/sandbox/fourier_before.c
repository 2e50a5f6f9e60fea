// A negative stride that leads below the memory.
// ranks: 1 2
// exit: 134
// stderr: dft_d2z: the input of a transform, bytes -
#include "fourier.h"

int main(int argc, char **argv)
{
    hostile_begin(&argc, &argv);
    static double a[64];
    host_d2z(1, &(Axis){1 << 28, -1, 1}, 0, 0, a, a);
    return check_end();
}
