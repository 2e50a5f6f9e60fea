// A large field, a part of which comes from every rank, for some seconds, in which some of it is shown however slow the machine is;
// then each rank says that it ends, one after another.
#include <mpi.h>
#include <rankine/view.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SIZE = 1000, SECONDS = 3 };

int main(int argc, char **argv)
{
    int rank, size;
    char name[32];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int first = SIZE * rank / size, rows = SIZE * (rank + 1) / size - first;
    int shape[] = {SIZE, SIZE}, start[] = {first, 0}, count[] = {rows, SIZE};
    double *part = malloc(sizeof *part * rows * SIZE);
    double begin = MPI_Wtime();
    int is_over = 0;
    for (long long step = 0; !is_over; step++) {
        for (int n = 0; n < rows * SIZE; n++)
            part[n] = step + n;
        Rankine_View_field("u", step, 2, shape, start, count, NULL, MPI_DOUBLE, part);
        is_over = MPI_Wtime() - begin > SECONDS;
        MPI_Bcast(&is_over, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    free(part);
    MPI_Finalize();
    // The others are gone by then.
    nanosleep(&(struct timespec){.tv_nsec = 100000000 * rank}, NULL);
    snprintf(name, sizeof name, "last of rank %d", rank);
    Rankine_View_text(name, "it ends");
    return 0;
}
