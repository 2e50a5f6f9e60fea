// MPI_Gather: to every root, in place, with different types at the root, of nothing.
// large: yes
#include "../check.h"

enum { COUNT = 3000, MAX_RANKS = 16 };
static int out[COUNT], in[COUNT * MAX_RANKS];

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    for (int root = 0; root < size; root++)
        for (int count = 0; count <= COUNT; count = count * 14 + 1)
            for (int in_place = 0; in_place < 2; in_place++) {
                for (int i = 0; i < count; i++)
                    out[i] = rank * COUNT + i + root;
                memset(in, -1, sizeof in);
                if (rank == root && in_place)
                    memcpy(in + rank * count, out, count * sizeof *out);
                const void *from = rank == root && in_place ? MPI_IN_PLACE : out;
                TRY(MPI_Gather(from, count, MPI_INT, rank == root ? in : NULL, count, MPI_INT, root, MPI_COMM_WORLD));
                for (int r = 0; r < size; r++)
                    for (int i = 0; i < count; i++)
                        CHECK_INT(in[r * count + i], rank == root ? r * COUNT + i + root : -1);
            }
    // Integers arrive in columns of a matrix: the root's type has an extent of its own. The root's arguments are ignored elsewhere.
    MPI_Datatype column, spaced;
    TRY(MPI_Type_vector(4, 1, size, MPI_INT, &column));
    TRY(MPI_Type_create_resized(column, 0, sizeof(int), &spaced));
    TRY(MPI_Type_commit(&spaced));
    memset(in, -1, sizeof in);
    if (rank == size - 1)
        TRY(MPI_Gather(out, 4, MPI_INT, in, 1, spaced, size - 1, MPI_COMM_WORLD));
    else
        TRY(MPI_Gather(out, 4, MPI_INT, NULL, -7, MPI_DATATYPE_NULL, size - 1, MPI_COMM_WORLD));
    if (rank == size - 1)
        for (int i = 0; i < 4; i++)
            for (int r = 0; r < size; r++)
                CHECK_INT(in[i * size + r], r * COUNT + i + size - 1);
    TRY(MPI_Type_free(&spaced));
    TRY(MPI_Type_free(&column));
    return check_end();
}
