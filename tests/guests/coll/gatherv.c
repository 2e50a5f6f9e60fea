// MPI_Gatherv: different counts, displacements out of order with gaps between, in place.
// large: yes
#include "../check.h"

enum { MAX_RANKS = 16, ROOM = 500 * MAX_RANKS };
static int out[ROOM], in[ROOM];

int main(int argc, char **argv)
{
    count_t counts[MAX_RANKS];
    displ_t places[MAX_RANKS];
    check_begin(&argc, &argv);
    // The last rank comes first, with a gap of 3 behind each; rank 1 gives nothing.
    int at = 0;
    for (int r = size - 1; r >= 0; r--) {
        counts[r] = r == 1 ? 0 : 10 * r + 5;
        places[r] = at;
        at += (int)counts[r] + 3;
    }
    for (int root = 0; root < size; root++)
        for (int in_place = 0; in_place < 2; in_place++) {
            for (int i = 0; i < counts[rank]; i++)
                out[i] = 1000 * rank + i + root;
            memset(in, -1, sizeof in);
            if (rank == root && in_place)
                memcpy(in + places[rank], out, counts[rank] * sizeof *out);
            if (rank == root)
                TRY(MPI_Gatherv(in_place ? MPI_IN_PLACE : out, counts[rank], MPI_INT, in, counts, places, MPI_INT, root, MPI_COMM_WORLD));
            else
                TRY(MPI_Gatherv(out, counts[rank], MPI_INT, NULL, NULL, NULL, MPI_INT, root, MPI_COMM_WORLD));
            if (rank != root)
                continue;
            for (int r = 0; r < size; r++) {
                for (int i = 0; i < counts[r]; i++)
                    CHECK_INT(in[places[r] + i], 1000 * r + i + root);
                for (int gap = 0; gap < 3; gap++)
                    CHECK_INT(in[places[r] + counts[r] + gap], -1);
            }
        }
    return check_end();
}
