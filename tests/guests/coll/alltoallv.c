// MPI_Alltoallv: a matrix of counts with zeros, gaps, in place.
// large: yes
#include "../check.h"

enum { MAX_RANKS = 16, ROOM = 1000 * MAX_RANKS };
static int out[ROOM], in[ROOM];

// How many integers go from one rank to another; symmetric, as MPI_IN_PLACE wants it.
static int amount(int a, int b, int scale)
{
    return (a + b) % 3 == 1 ? 0 : (a * b + a + b + 1) * scale % 900;
}

static int value(int from, int to, int i)
{
    return from * 1000000 + to * 10000 + i;
}

int main(int argc, char **argv)
{
    count_t out_counts[MAX_RANKS], in_counts[MAX_RANKS];
    displ_t out_places[MAX_RANKS], in_places[MAX_RANKS];
    check_begin(&argc, &argv);
    for (int scale = 1; scale <= 50; scale *= 7)
        for (int in_place = 0; in_place < 2; in_place++) {
            memset(out, -1, sizeof out);
            memset(in, -1, sizeof in);
            for (int r = 0; r < size; r++) {
                out_counts[r] = in_counts[r] = amount(rank, r, scale);
                out_places[r] = 1000 * r + r;
                in_places[r] = 1000 * (size - 1 - r);
                for (int i = 0; i < out_counts[r]; i++)
                    if (in_place)
                        in[in_places[r] + i] = value(rank, r, i);
                    else
                        out[out_places[r] + i] = value(rank, r, i);
            }
            if (in_place)
                TRY(MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, in, in_counts, in_places, MPI_INT, MPI_COMM_WORLD));
            else
                TRY(MPI_Alltoallv(out, out_counts, out_places, MPI_INT, in, in_counts, in_places, MPI_INT, MPI_COMM_WORLD));
            for (int r = 0; r < size; r++) {
                for (int i = 0; i < in_counts[r]; i++)
                    CHECK_INT(in[in_places[r] + i], value(r, rank, i));
                CHECK_INT(in[in_places[r] + in_counts[r]], -1);
            }
        }
    return check_end();
}
