// A block that is freed twice in a row ends the program, with a word about what finds other such mistakes.
// ranks: 1
// exit: 134
// stderr: a block is freed twice; `rankine run --check-heap` says where
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    char *volatile table = malloc(100);
    free(table);
    free(table);
    MPI_Finalize();
    return 0;
}
