// --check-heap in C++, where new takes blocks that delete has put aside: such a one is watched as well.
// ranks: 1
// run: --check-heap
// cc: -g -O0
// exit: 134
// stderr: right behind a block of 24 bytes allocated by main (
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    double *blocks[8];
    for (double *&block : blocks)
        block = new double[3];
    for (double *block : blocks)
        delete[] block;
    double *volatile x = new double[3];
    x[3] = 1;
    delete[] x;
    MPI_Finalize();
    return 0;
}
