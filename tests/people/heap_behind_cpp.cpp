// --check-heap in C++: an element behind the end of a vector. The allocation is the program's line, not the library's.
// ranks: 1
// run: --check-heap
// cc: -g -O0
// exit: 134
// stderr: right behind a block of 24 bytes allocated by main (
// stderr: heap_behind_cpp.cpp:13
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    double *volatile x = new double[3];
    x[3] = 1;
    delete[] x;
    MPI_Finalize();
    return 0;
}
