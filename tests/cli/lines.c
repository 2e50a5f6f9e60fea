// Lines of different ranks never mix, though every rank writes its own in pieces.
// engines: local
// ranks: 4
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    setvbuf(stdout, NULL, _IONBF, 0);
    for (int n = 0; n < 25; n++) {
        for (int i = 0; i < 60; i++)
            putchar('a' + rank);
        MPI_Barrier(MPI_COMM_WORLD);
        printf(" %d", n);
        putchar('\n');
    }
    MPI_Finalize();
    return 0;
}
