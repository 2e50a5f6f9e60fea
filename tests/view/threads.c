// Fields that threads publish: `parts`, of which each thread has some rows, and `turns`, of which whichever thread comes first
// publishes the rank's part, always as step 0; until the button `stop`. Cell (i, j) is 10 i + j + 100 n in both, where n is the
// number of the step modulo 50.
#include <mpi.h>
#include <omp.h>
#include <rankine/view.h>
#include <stdio.h>
#include <time.h>

enum { THREADS = 3, EACH = 2, COLUMNS = 12 };

int main(int argc, char **argv)
{
    static double part[THREADS * EACH][COLUMNS];
    int rank, size, provided, stop = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    Rankine_View_button("stop", &stop);
    int shape[2] = {size * THREADS * EACH, COLUMNS};
    for (int step = 0; !stop; step++) {
        Rankine_View_update(MPI_COMM_WORLD);
#pragma omp parallel num_threads(THREADS)
        {
            int thread = omp_get_thread_num();
            int start[2] = {(rank * THREADS + thread) * EACH, 0}, count[2] = {EACH, COLUMNS};
            for (int i = 0; i < EACH; i++)
                for (int j = 0; j < COLUMNS; j++)
                    part[thread * EACH + i][j] = 10 * (start[0] + i) + j + 100 * (step % 50);
            Rankine_View_field("parts", step, 2, shape, start, count, NULL, MPI_DOUBLE, part[thread * EACH]);
            if (rank == 0 && thread == 1)
                Rankine_View_curve("step", step, thread);
            if (thread == THREADS - 1 && !Rankine_View_on())
                printf("a thread has no view\n");
#pragma omp barrier
#pragma omp single
            {
                int from[2] = {rank * THREADS * EACH, 0}, all[2] = {THREADS * EACH, COLUMNS};
                Rankine_View_field("turns", 0, 2, shape, from, all, NULL, MPI_DOUBLE, part);
            }
        }
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
    MPI_Finalize();
    return 0;
}
