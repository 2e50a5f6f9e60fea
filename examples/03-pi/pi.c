/* Pi, as the area under 4 / (1 + x * x) between 0 and 1: each rank adds up its share of narrow strips. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size;
    long strips;
    double mine = 0, pi = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    strips = argc > 1 ? atol(argv[1]) : 1000000;

    /* Rank 0 knows best: its number is everybody's. */
    MPI_Bcast(&strips, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    for (long i = rank; i < strips; i += size) {
        double x = (i + 0.5) / strips;
        mine += 4 / (1 + x * x);
    }
    mine /= strips;
    MPI_Reduce(&mine, &pi, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);

    if (rank == 0)
        printf("pi is about %.10f, with %ld strips\n", pi, strips);
    MPI_Finalize();
    return 0;
}
