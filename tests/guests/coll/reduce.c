// MPI_Reduce: to every root, of every size, in place.
// large: yes
#include "../check.h"

enum { LARGEST = 50000 };
static int64_t out[LARGEST], in[LARGEST + 1];

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    for (int root = 0; root < size; root++)
        for (int count = 0; count <= LARGEST; count = count * 36 + 1)
            for (int in_place = 0; in_place < 2; in_place++) {
                int mine = rank == root && in_place;
                memset(in, -1, sizeof in);
                for (int i = 0; i < count; i++)
                    (mine ? in : out)[i] = (int64_t)(rank + 1) * (i + 1);
                TRY(MPI_Reduce(mine ? MPI_IN_PLACE : out, rank == root ? in : NULL, count, MPI_INT64_T, MPI_SUM, root, MPI_COMM_WORLD));
                if (rank == root)
                    for (int i = 0; i < count; i++)
                        CHECK_INT(in[i], (int64_t)size * (size + 1) / 2 * (i + 1));
                CHECK_INT(in[count], -1);
                // What was sent is unchanged.
                if (!mine && count > 0)
                    CHECK_INT(out[count - 1], (int64_t)(rank + 1) * count);
            }
    FAILS(MPI_Reduce(out, in, 1, MPI_INT64_T, MPI_SUM, size, MPI_COMM_WORLD), MPI_ERR_ROOT);
    FAILS(MPI_Reduce(out, in, 1, MPI_INT64_T, MPI_OP_NULL, 0, MPI_COMM_WORLD), MPI_ERR_OP);
    FAILS(MPI_Reduce(out, in, 1, MPI_DOUBLE, MPI_BAND, 0, MPI_COMM_WORLD), MPI_ERR_OP);
    return check_end();
}
