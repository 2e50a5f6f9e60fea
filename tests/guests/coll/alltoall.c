// MPI_Alltoall: every size, in place, with different types on both sides.
// large: yes
#include "../check.h"

enum { COUNT = 4000, MAX_RANKS = 16 };
static int out[COUNT * MAX_RANKS], in[COUNT * MAX_RANKS];

static int value(int from, int to, int i)
{
    return from * 1000000 + to * 10000 + i;
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    for (int count = 0; count <= COUNT; count = count * 6 + 1)
        for (int in_place = 0; in_place < 2; in_place++) {
            memset(in, -1, sizeof in);
            for (int to = 0; to < size; to++)
                for (int i = 0; i < count; i++)
                    (in_place ? in : out)[to * count + i] = value(rank, to, i);
            TRY(MPI_Alltoall(in_place ? MPI_IN_PLACE : out, count, MPI_INT, in, count, MPI_INT, MPI_COMM_WORLD));
            for (int from = 0; from < size; from++)
                for (int i = 0; i < count; i++)
                    CHECK_INT(in[from * count + i], value(from, rank, i));
        }
    // A matrix, row by row on each rank, is transposed: columns are sent, and received as rows.
    MPI_Datatype column, columns;
    enum { ROWS = 5 };
    TRY(MPI_Type_vector(ROWS, 1, size, MPI_INT, &column));
    TRY(MPI_Type_create_resized(column, 0, sizeof(int), &columns));
    TRY(MPI_Type_commit(&columns));
    for (int row = 0; row < ROWS; row++)
        for (int c = 0; c < size; c++)
            out[row * size + c] = value(rank, c, row);
    TRY(MPI_Alltoall(out, 1, columns, in, ROWS, MPI_INT, MPI_COMM_WORLD));
    for (int from = 0; from < size; from++)
        for (int row = 0; row < ROWS; row++)
            CHECK_INT(in[from * ROWS + row], value(from, rank, row));
    TRY(MPI_Type_free(&columns));
    TRY(MPI_Type_free(&column));
    return check_end();
}
