// What a library keeps of a call's arguments is charged to the rank that makes it, about as much as it is.
// ranks: 1
// engines: mpi
// run: --memory-limit 100M
// peak: 500
#include "quota.h"

enum { MOST = 1000, LONG = 500000 };
static int zeros[LONG], lengths[LONG], places[LONG];

int main(int argc, char **argv)
{
    static MPI_Datatype types[MOST];
    static MPI_Comm comms[MOST];
    static MPI_Info infos[MOST];
    hostile_begin(&argc, &argv);
    scatter(LONG, lengths, places);
    for (int round = 0; round < 2; round++) {
        EXHAUST(MOST, MPI_Type_indexed(LONG, lengths, places, MPI_CHAR, &types[made]));
        for (int i = 0; i < made; i++)
            TRY(MPI_Type_free(&types[i]));
        EXHAUST(MOST, MPI_Dist_graph_create_adjacent(MPI_COMM_SELF, LONG, zeros, MPI_UNWEIGHTED, LONG, zeros, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                               &comms[made]));
        for (int i = 0; i < made; i++)
            TRY(MPI_Comm_free(&comms[i]));
        EXHAUST(MOST, fill(&infos[made]));
        for (int i = 0; i <= made; i++)
            TRY(MPI_Info_free(&infos[i]));
    }
    return hostile_end();
}
