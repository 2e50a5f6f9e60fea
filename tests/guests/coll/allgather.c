// MPI_Allgather: every size, in place, with holes in the receiver's type.
// large: yes
#include "../check.h"

enum { COUNT = 8000, MAX_RANKS = 16 };
static int out[COUNT], in[COUNT * MAX_RANKS];

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    for (int count = 0; count <= COUNT; count = count * 6 + 1)
        for (int in_place = 0; in_place < 2; in_place++) {
            memset(in, -1, sizeof in);
            for (int i = 0; i < count; i++)
                out[i] = in[rank * count + i] = rank * COUNT + i;
            if (!in_place)
                memset(in, -1, sizeof in);
            TRY(MPI_Allgather(in_place ? MPI_IN_PLACE : out, count, MPI_INT, in, count, MPI_INT, MPI_COMM_WORLD));
            for (int r = 0; r < size; r++)
                for (int i = 0; i < count; i++)
                    CHECK_INT(in[r * count + i], r * COUNT + i);
        }
    MPI_Datatype pair;
    TRY(MPI_Type_vector(2, 1, 3, MPI_INT, &pair));
    TRY(MPI_Type_commit(&pair));
    memset(in, -1, sizeof in);
    TRY(MPI_Allgather(out, 4, MPI_INT, in, 2, pair, MPI_COMM_WORLD));
    // An element of the pair has an extent of 4 integers: two places, two holes between them.
    for (int r = 0; r < size; r++)
        for (int i = 0; i < 4; i++) {
            CHECK_INT(in[8 * r + 4 * (i / 2) + 3 * (i % 2)], r * COUNT + i);
            CHECK_INT(in[8 * r + 4 * (i / 2) + 1], -1);
        }
    TRY(MPI_Type_free(&pair));
    return check_end();
}
