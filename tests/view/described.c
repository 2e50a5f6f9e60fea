// Things of which the program says what they are: units, what the ends of the colours stand for, coordinates; until the button
// `stop` is pressed.
//
// Cell (i, j) of the 8 × 12 cells of `pressure` is 10 i + j, published in blocks of columns; colours go from 0 to 100, in the
// unit that the page chooses. It is at x = -1 + j / 4 and y = 2 - i / 4. `box` has three dimensions, of which z begins at 5.
// The vectors of `turning` go around its middle, clockwise as the page shows them, and `lengths` are those of the same ones
// the other way, upwards: y ascends upwards there.
#include <mpi.h>
#include <rankine/view.h>
#include <stdio.h>
#include <time.h>

enum { ROWS = 8, COLUMNS = 12 };

struct cell {
    float pressure, across[2], up;
};

int main(int argc, char **argv)
{
    int rank, size, stop = 0, unit = 0;
    const char *const units[] = {"kPa", "bar"};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    Rankine_View_choice("unit", &unit, 2, units);
    Rankine_View_button("stop", &stop);
    int shape[] = {ROWS, COLUMNS}, start[] = {0, COLUMNS * rank / size};
    int count[] = {ROWS, COLUMNS * (rank + 1) / size - start[1]};
    int whole[] = {2, 3, 4}, from[] = {0, 0, 0}, strides[] = {COLUMNS * sizeof(struct cell) / 4, sizeof(struct cell) / 4};
    struct cell cells[ROWS][COLUMNS];
    double box[2][3][4];
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            double right = -(i - 3.5), down = j - 5.5;
            cells[i][j] = (struct cell){10 * i + j, {right, down}, -down};
        }
    for (int n = 0; n < 24; n++)
        box[0][0][n] = n;
    // Each rank says it: it is said before anything is shown.
    Rankine_View_axis("pressure", 'x', "length", "m", -1, 0.25);
    Rankine_View_axis("pressure", 'y', "height", "m", 2, -0.25);
    Rankine_View_scale("pressure", units[0], 0, 100);
    Rankine_View_axis("box", 'z', "depth", "km", 5, 0.5);
    Rankine_View_axis("lengths", 'y', "", "", 0, -1);
    Rankine_View_scale("residual", "W", 0, 0);
    Rankine_View_axis("residual", 'x', "iteration", "", 0, 0);
    Rankine_View_scale("bodies", "kg", 0, 4);
    Rankine_View_axis("bodies", 'x', "", "ly", 0, 0);
    for (long long step = 0; !stop && Rankine_View_on(); step++) {
        Rankine_View_update(MPI_COMM_WORLD);
        Rankine_View_scale("pressure", units[unit], 0, 100);
        const struct cell *own = &cells[0][start[1]];
        Rankine_View_field("pressure", step, 2, shape, start, count, strides, MPI_FLOAT, &own->pressure);
        Rankine_View_arrows("turning", step, 2, shape, start, count, strides, MPI_FLOAT, &own->pressure, &own->across[0], &own->across[1], NULL);
        Rankine_View_arrows("lengths", step, 2, shape, start, count, strides, MPI_FLOAT, NULL, &own->across[0], &own->up, NULL);
        if (rank == 0) {
            Rankine_View_arrows("box", step, 3, whole, from, whole, NULL, MPI_DOUBLE, box, box, box, box);
            Rankine_View_curve("residual", step, 1.0 / (1 + step));
            Rankine_View_points("bodies", step, 1, 2, 2, (double[]){0, 8, 0, 4}, MPI_DOUBLE, (double[]){2, 1, 6, 3}, (double[]){1, 3}, NULL);
        }
        // No rank is far ahead of the others.
        MPI_Barrier(MPI_COMM_WORLD);
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
    if (rank == 0)
        printf("stopped\n");
    MPI_Finalize();
    return 0;
}
