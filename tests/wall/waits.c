// Says that it is there, and waits to be looked at.
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    puts("here");
    fflush(stdout);
    for (;;)
        MPI_Barrier(MPI_COMM_SELF);
}
