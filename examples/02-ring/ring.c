/* A token travels around the ring of ranks, several times; each rank adds its number to it. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size, rounds;
    long long token = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    rounds = argc > 1 ? atoi(argv[1]) : 10;

    int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int round = 0; round < rounds; round++) {
        /* Rank 0 sends first: if all received first, all would wait for ever. */
        if (rank != 0) {
            MPI_Recv(&token, 1, MPI_LONG_LONG, previous, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            token += rank;
        }
        if (size > 1)
            MPI_Send(&token, 1, MPI_LONG_LONG, next, 0, MPI_COMM_WORLD);
        if (rank == 0 && size > 1)
            MPI_Recv(&token, 1, MPI_LONG_LONG, previous, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    double time = MPI_Wtime() - start;

    if (rank == 0) {
        printf("%d ranks, %d rounds: the token has become %lld\n", size, rounds, token);
        fprintf(stderr, "%.3g microseconds a hop\n", time / rounds / size * 1e6);
    }
    MPI_Finalize();
    return 0;
}
