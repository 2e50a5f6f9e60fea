// What BLAS and LAPACK call when an argument is wrong: the reference's words, with the rank, and the program ends. A program
// may have its own.

#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

static int is_running(void)
{
    int initialized = 0, finalized = 0;
    MPI_Initialized(&initialized);
    MPI_Finalized(&finalized);
    return initialized && !finalized;
}

void xerbla_(const char *routine, const int *argument, size_t length)
{
    while (length > 0 && routine[length - 1] == ' ')
        length--;
    fprintf(stderr, " ** On entry to %.*s parameter number %2d had an illegal value", (int)length, routine, *argument);
    if (is_running()) {
        int rank;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        fprintf(stderr, " (rank %d)", rank);
    }
    fputc('\n', stderr);
    exit(EXIT_FAILURE);
}
