// Points that the page shows, which wander from rank to rank with every step; until the button `stop` is pressed.
//
// `plane` has 24 points, (i, j) with the value i + 6 j + 100 level, where `level` is a number of the page. `box` has the eight
// corners of a cube and a point within, (x, y, z) with the value x + 2 y + 4 z. `plain` has no values, and one rank alone
// publishes it.
#include <mpi.h>
#include <rankine/view.h>
#include <stdio.h>
#include <time.h>

struct body {
    float value, other, place[3];
};

int main(int argc, char **argv)
{
    int rank, size, stop = 0;
    double level = 1, around[] = {-1, 6, -1, 4};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    Rankine_View_number("level", &level, 0, 5, 1);
    Rankine_View_button("stop", &stop);
    for (long long step = 0; !stop && Rankine_View_on(); step++) {
        Rankine_View_update(MPI_COMM_WORLD);
        double places[24][2], values[24];
        struct body bodies[9];
        int here = 0, corners = 0, apart[] = {sizeof *bodies / sizeof(float), 1, sizeof *bodies / sizeof(float)};
        for (int n = 0; n < 24; n++)
            if ((n + step) % size == rank) {
                places[here][0] = n % 6;
                places[here][1] = n / 6;
                values[here++] = n + 100 * level;
            }
        Rankine_View_points("plane", step, 0, 2, here, around, MPI_DOUBLE, places, values, NULL);
        // All of them at one rank: the others have none.
        for (int n = 0; n < 9 && step % size == rank; n++) {
            struct body body = {.other = -1};
            for (int d = 0; d < 3; d++)
                body.place[d] = n == 8 ? 0.5f : n >> d & 1;
            body.value = body.place[0] + 2 * body.place[1] + 4 * body.place[2];
            bodies[corners++] = body;
        }
        Rankine_View_points("box", step, 0, 3, corners, NULL, MPI_FLOAT, bodies[0].place, &bodies[0].value, apart);
        if (rank == size - 1)
            Rankine_View_points("plain", step, 1, 2, 1, around, MPI_DOUBLE, (double[]){2, 2}, NULL, NULL);
        // No rank is far ahead of the others.
        MPI_Barrier(MPI_COMM_WORLD);
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
    if (rank == 0)
        printf("stopped at level %g\n", level);
    MPI_Finalize();
    return 0;
}
