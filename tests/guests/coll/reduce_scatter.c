// MPI_Reduce_scatter: different counts, zeros among them, in place.
// large: yes
#include "../check.h"

enum { MAX_RANKS = 16, ROOM = 2000 * MAX_RANKS };
static int out[ROOM], in[ROOM];

int main(int argc, char **argv)
{
    count_t counts[MAX_RANKS];
    check_begin(&argc, &argv);
    for (int scale = 0; scale <= 600; scale = scale * 20 + 1)
        for (int in_place = 0; in_place < 2; in_place++) {
            int total = 0, start = 0;
            for (int r = 0; r < size; r++) {
                counts[r] = r % 3 == 2 ? 0 : scale * (r % 3 + 1);
                if (r < rank)
                    start += (int)counts[r];
                total += (int)counts[r];
            }
            memset(in, -1, sizeof in);
            for (int i = 0; i < total; i++)
                (in_place ? in : out)[i] = (rank + 1) * (i + 1);
            TRY(MPI_Reduce_scatter(in_place ? MPI_IN_PLACE : out, in, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
            for (int i = 0; i < counts[rank]; i++)
                CHECK_INT(in[i], size * (size + 1) / 2 * (start + i + 1));
            if (!in_place)
                CHECK_INT(in[counts[rank]], -1);
        }
    return check_end();
}
