// --label: each line begins with its rank, also lines that are written in pieces.
// ranks: 3
// run: --label
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    setvbuf(stdout, NULL, _IONBF, 0);
    for (int n = 0; n < 3; n++) {
        printf("line ");
        MPI_Barrier(MPI_COMM_WORLD);
        printf("%d\n", n);
    }
    MPI_Finalize();
    return 0;
}
