// Rank 0 takes and writes far more memory than it may have, until it is refused. Whoever is given all of it waits for its end.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STEP = 1 << 20, STEPS = 1500, SECONDS = 120 };

// Without it the compiler would see that nobody reads what is taken.
static char *volatile newest;

int main(int argc, char **argv)
{
    int rank, taken = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (char *block; rank == 0 && taken < STEPS && (block = malloc(STEP)) != NULL; taken++) {
        memset(block, 1, STEP);
        newest = block;
    }
    if (taken == STEPS)
        sleep(SECONDS);
    if (rank == 0)
        puts("asked");
    return MPI_Finalize();
}
