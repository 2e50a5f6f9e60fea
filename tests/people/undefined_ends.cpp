// Where a program must not go on after what C++ leaves undefined: -fno-sanitize-recover, with the place in its own words.
// ranks: 1
// cc: -g -fsanitize=undefined -fno-sanitize-recover=undefined
// exit: 134
// stderr: undefined_ends.cpp:13:16: runtime error: index 4 out of bounds for type 'double[4]'
// stderr: at sum(int) (
#include <mpi.h>

static double sum(int count)
{
    double few[4] = {1, 2, 3, 4}, all = 0;
    for (int i = 0; i < count; i++)
        all += few[i];
    return all;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    double all = sum(4 + argc);
    MPI_Finalize();
    return all == 0;
}
