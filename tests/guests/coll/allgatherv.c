// MPI_Allgatherv: different counts, gaps, an order of their own, in place.
// large: yes
#include "../check.h"

enum { MAX_RANKS = 16, ROOM = 4000 * MAX_RANKS };
static int out[ROOM], in[ROOM];

int main(int argc, char **argv)
{
    count_t counts[MAX_RANKS];
    displ_t places[MAX_RANKS];
    check_begin(&argc, &argv);
    for (int scale = 1; scale <= 1000; scale *= 30)
        for (int in_place = 0; in_place < 2; in_place++) {
            int at = 0;
            for (int r = size - 1; r >= 0; r--) {
                counts[r] = r % 3 == 1 ? 0 : scale * (r % 4 + 1) % 3000;
                places[r] = at;
                at += (int)counts[r] + 2;
            }
            memset(in, -1, sizeof in);
            for (int i = 0; i < counts[rank]; i++) {
                out[i] = rank * 10000 + i;
                if (in_place)
                    in[places[rank] + i] = out[i];
            }
            TRY(MPI_Allgatherv(in_place ? MPI_IN_PLACE : out, counts[rank], MPI_INT, in, counts, places, MPI_INT, MPI_COMM_WORLD));
            for (int r = 0; r < size; r++) {
                for (int i = 0; i < counts[r]; i++)
                    CHECK_INT(in[places[r] + i], r * 10000 + i);
                CHECK_INT(in[places[r] + counts[r]], -1);
            }
        }
    return check_end();
}
