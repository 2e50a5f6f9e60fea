// MPI_Scatterv: different counts, displacements that overlap and go backwards, in place.
// large: yes
#include "../check.h"

enum { MAX_RANKS = 16, ROOM = 200 * MAX_RANKS };
static int out[ROOM], in[ROOM];

int main(int argc, char **argv)
{
    count_t counts[MAX_RANKS];
    displ_t places[MAX_RANKS];
    check_begin(&argc, &argv);
    for (int r = 0; r < size; r++) {
        counts[r] = r == 1 ? 0 : 100 - 3 * r;
        places[r] = (size - 1 - r) * 101;
    }
    for (int root = 0; root < size; root++)
        for (int in_place = 0; in_place < 2; in_place++) {
            for (int i = 0; i < ROOM; i++)
                out[i] = rank == root ? root + 3 * i : -7;
            memset(in, -1, sizeof in);
            if (rank == root)
                TRY(MPI_Scatterv(out, counts, places, MPI_INT, in_place ? MPI_IN_PLACE : in, counts[rank], MPI_INT, root, MPI_COMM_WORLD));
            else
                TRY(MPI_Scatterv(NULL, NULL, NULL, MPI_INT, in, counts[rank], MPI_INT, root, MPI_COMM_WORLD));
            if (rank != root || !in_place) {
                for (int i = 0; i < counts[rank]; i++)
                    CHECK_INT(in[i], root + 3 * (places[rank] + i));
                CHECK_INT(in[counts[rank]], -1);
            }
        }
    // Everybody gets the same place.
    for (int r = 0; r < size; r++) {
        counts[r] = 10;
        places[r] = 5;
    }
    for (int i = 0; i < ROOM; i++)
        out[i] = i;
    TRY(MPI_Scatterv(out, counts, places, MPI_INT, in, 10, MPI_INT, 0, MPI_COMM_WORLD));
    for (int i = 0; i < 10; i++)
        CHECK_INT(in[i], 5 + i);
    return check_end();
}
