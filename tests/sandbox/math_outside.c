// A matrix whose leading dimension has its last column far beyond the memory, by more than 64 bits of bytes if multiplied
// carelessly; the rank ends, with the matrix in words.
// ranks: 1 2
// exit: 134
// stderr: dgemm: a matrix of 1000 x 1000, leading dimension 2147483647, argument 9:
#include "math.h"

int main(int argc, char **argv)
{
    hostile_begin(&argc, &argv);
    double *a = calloc(1000 * 1000, sizeof *a);
    product(1000, a, 1000, a, 0x7fffffff, a, 1000);
    return check_end();
}
