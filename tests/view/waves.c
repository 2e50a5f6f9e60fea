// A field that the page shows and steers, in blocks of as many ranks as there are; until the button `stop` is pressed.
//
// Cell (i, j) is 10 i + j + 100 level, where `level` is a number of the page, so that a picture tells which level each rank
// had. With the argument `once`, the field is published once. An operation of the program's own goes on while it publishes.
#include <mpi.h>
#include <rankine/view.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { ROWS = 8, COLUMNS = 12 };

static void add(void *in, void *inout, int *length, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *length; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

int main(int argc, char **argv)
{
    int one = 1, all;
    MPI_Op op;
    MPI_Request request;
    int rank, size, dims[2] = {0, 0}, periods[2] = {0, 0}, coords[2], stop = 0;
    double level = 1;
    MPI_Comm grid;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Dims_create(size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    MPI_Comm_rank(grid, &rank);
    MPI_Op_create(add, 1, &op);
    MPI_Cart_coords(grid, rank, 2, coords);
    int shape[2] = {ROWS, COLUMNS}, start[2], count[2];
    for (int d = 0; d < 2; d++) {
        start[d] = shape[d] * coords[d] / dims[d];
        count[d] = shape[d] * (coords[d] + 1) / dims[d] - start[d];
    }
    // A ghost cell on each side, so that rows are not dense.
    double part[ROWS + 2][COLUMNS + 2];
    int strides[2] = {COLUMNS + 2, 1};
    const char *const shapes[] = {"round", "<b>square</b>"};
    int which = 0;
    Rankine_View_number("level", &level, 0, 5, 0.5);
    Rankine_View_choice("shape", &which, 2, shapes);
    Rankine_View_button("stop", &stop);
    Rankine_View_text("</script><img src=x onerror=alert(1)>", "a text & <i>no markup</i>");
    int once = argc > 1 && strcmp(argv[1], "once") == 0;
    for (long long step = 0; !stop; step++) {
        Rankine_View_update(grid);
        MPI_Iallreduce(&one, &all, 1, MPI_INT, op, grid, &request);
        for (int i = 0; i < count[0]; i++)
            for (int j = 0; j < count[1]; j++)
                part[i + 1][j + 1] = 10 * (start[0] + i) + start[1] + j + 100 * level;
        if (!once || step == 0)
            Rankine_View_field("u", step, 2, shape, start, count, strides, MPI_DOUBLE, &part[1][1]);
        if (rank == 0)
            Rankine_View_curve("level", step, level);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (all != size)
            MPI_Abort(MPI_COMM_WORLD, 3);
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
        if (!Rankine_View_on())
            break;
    }
    if (rank == 0)
        printf("stopped at level %g, shape %d\n", level, which);
    MPI_Finalize();
    return 0;
}
