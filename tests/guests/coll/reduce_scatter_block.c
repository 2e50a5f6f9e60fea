// MPI_Reduce_scatter_block: every size, in place.
// large: yes
#include "../check.h"

enum { MAX_RANKS = 16, COUNT = 3000 };
static int out[COUNT * MAX_RANKS], in[COUNT * MAX_RANKS];

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    for (int count = 0; count <= COUNT; count = count * 14 + 1)
        for (int in_place = 0; in_place < 2; in_place++) {
            memset(in, -1, sizeof in);
            for (int i = 0; i < count * size; i++)
                (in_place ? in : out)[i] = (rank + 1) * i - 5;
            TRY(MPI_Reduce_scatter_block(in_place ? MPI_IN_PLACE : out, in, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
            for (int i = 0; i < count; i++)
                CHECK_INT(in[i], size * (size + 1) / 2 * (rank * count + i) - 5 * size);
        }
    return check_end();
}
