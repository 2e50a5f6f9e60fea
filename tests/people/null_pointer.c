// A null pointer is called that, whatever it is used for, with the rank and the line.
// ranks: 2
// cc: -g -O1
// each: store load far fill copy
// exit: 134
// stderr: rank 1 trapped: a null pointer was used
// stderr: null_pointer.c:18 | null_pointer.c:20 | null_pointer.c:22 | null_pointer.c:24 | null_pointer.c:26
#include <mpi.h>
#include <string.h>

static char *volatile nowhere;
char values[4096];
static volatile size_t length = 1000;

static void use(char way)
{
    if (way == 's')
        *(volatile int *)nowhere = 42;
    else if (way == 'l')
        values[0] = *(volatile char *)nowhere;
    else if (way == 'a')
        ((volatile double *)nowhere)[1000] = 1;
    else if (way == 'i')
        memset(nowhere, 1, length);
    else
        memcpy(values, nowhere, length);
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    // Nothing is copied, so it does not matter from where.
    memcpy(nowhere, nowhere, length - 1000);
    if (rank == 1)
        use(argv[1][0] == 'f' ? argv[1][1] : argv[1][0]);
    MPI_Bcast(values, sizeof values, MPI_CHAR, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
