// MPI_Scatter: from every root, in place, with different types at the root.
// large: yes
#include "../check.h"

enum { COUNT = 3000, MAX_RANKS = 16 };
static int out[COUNT * MAX_RANKS], in[COUNT + 1];

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    for (int root = 0; root < size; root++)
        for (int count = 0; count <= COUNT; count = count * 14 + 1)
            for (int in_place = 0; in_place < 2; in_place++) {
                for (int i = 0; i < count * size; i++)
                    out[i] = rank == root ? root + 3 * i : -7;
                memset(in, -1, sizeof in);
                void *to = rank == root && in_place ? MPI_IN_PLACE : in;
                TRY(MPI_Scatter(rank == root ? out : NULL, count, MPI_INT, to, count, MPI_INT, root, MPI_COMM_WORLD));
                const int *got = to == MPI_IN_PLACE ? out + rank * count : in;
                for (int i = 0; i < count; i++)
                    CHECK_INT(got[i], root + 3 * (rank * count + i));
                CHECK_INT(in[count], -1);
            }
    // From columns of a matrix.
    MPI_Datatype column, spaced;
    TRY(MPI_Type_vector(4, 1, size, MPI_INT, &column));
    TRY(MPI_Type_create_resized(column, 0, sizeof(int), &spaced));
    TRY(MPI_Type_commit(&spaced));
    for (int i = 0; i < 4 * size; i++)
        out[i] = 50 + i;
    TRY(MPI_Scatter(out, 1, spaced, in, 4, MPI_INT, 0, MPI_COMM_WORLD));
    for (int i = 0; i < 4; i++)
        CHECK_INT(in[i], 50 + i * size + rank);
    TRY(MPI_Type_free(&spaced));
    TRY(MPI_Type_free(&column));
    return check_end();
}
