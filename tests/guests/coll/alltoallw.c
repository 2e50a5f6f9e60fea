// MPI_Alltoallw: a type for every pair, displacements in bytes, in place.
// large: yes
#include "../check.h"

enum { MAX_RANKS = 16, ROOM = 64 };
static double out[MAX_RANKS][ROOM], in[MAX_RANKS][ROOM];

int main(int argc, char **argv)
{
    count_t out_counts[MAX_RANKS], in_counts[MAX_RANKS];
    displ_t places[MAX_RANKS];
    MPI_Datatype out_types[MAX_RANKS], in_types[MAX_RANKS], spread;
    check_begin(&argc, &argv);
    TRY(MPI_Type_vector(10, 1, 3, MPI_DOUBLE, &spread));
    TRY(MPI_Type_commit(&spread));
    memset(in, 0, sizeof in);
    for (int r = 0; r < size; r++) {
        // To even ranks from every third place, to odd ones from a row; received spread out by odd ranks.
        int from_spread = r % 2 == 0, to_spread = rank % 2 == 1;
        out_counts[r] = from_spread ? 1 : 10;
        out_types[r] = from_spread ? spread : MPI_DOUBLE;
        in_counts[r] = to_spread ? 1 : 10;
        in_types[r] = to_spread ? spread : MPI_DOUBLE;
        places[r] = (displ_t)(r * sizeof out[0]);
        for (int i = 0; i < 10; i++)
            out[r][from_spread ? 3 * i : i] = rank * 1000 + r * 50 + i;
    }
    if (size > 2)
        out_counts[(rank + 1) % size] = in_counts[(rank + size - 1) % size] = 0;
    TRY(MPI_Alltoallw(out, out_counts, places, out_types, in, in_counts, places, in_types, MPI_COMM_WORLD));
    for (int r = 0; r < size; r++)
        for (int i = 0; i < 10; i++) {
            double expected = in_counts[r] == 0 ? 0 : r * 1000 + rank * 50 + i;
            CHECK_REAL(in[r][rank % 2 == 1 ? 3 * i : i], expected);
        }
    // In place: counts and types are the same for both directions.
    for (int r = 0; r < size; r++) {
        in_counts[r] = (rank + r) % 2 ? 5 : 1;
        in_types[r] = (rank + r) % 2 ? MPI_DOUBLE : spread;
        for (int i = 0; i < ROOM; i++)
            in[r][i] = rank * 1000 + r * 100 + i;
    }
    TRY(MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, in, in_counts, places, in_types, MPI_COMM_WORLD));
    for (int r = 0; r < size; r++) {
        if ((rank + r) % 2)
            for (int i = 0; i < 5; i++)
                CHECK_REAL(in[r][i], r * 1000 + rank * 100 + i);
        else
            for (int i = 0; i < 10; i++)
                CHECK_REAL(in[r][3 * i], r * 1000 + rank * 100 + 3 * i);
        CHECK_REAL(in[r][40], rank * 1000 + r * 100 + 40);
    }
    TRY(MPI_Type_free(&spread));
    return check_end();
}
