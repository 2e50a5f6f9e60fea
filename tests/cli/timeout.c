// --timeout ends a job that computes for ever.
// ranks: 1 3
// run: --timeout 1
// exit: nonzero
// stderr: its time limit
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (volatile int i = 0;; i++)
        ;
}
