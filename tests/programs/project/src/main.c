/* Counts primes, and says what the build system found out about the machine that it builds for by running programs
 * there. */
#include "config.h"
#include "primes.h"
#include <mpi.h>
#include <stdio.h>

#ifndef HAVE_UNISTD_H
#error "the build system did not find unistd.h"
#endif

int main(int argc, char **argv)
{
    int rank, size;
    long mine, all;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    mine = count_primes(rank, size, 10000);
    MPI_Reduce(&mine, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d ranks, %ld primes, long has %d bytes, pages have %d\n", size, all, SIZEOF_LONG, PAGE_BYTES);
    MPI_Finalize();
    return 0;
}
