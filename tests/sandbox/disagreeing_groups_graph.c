// Ranks that name different groups for one communicator, of which each knows only itself, and go on to a graph: MPICH would read beyond its
// arrays. Those who hear of it end the job.
// ranks: 3
// engines: mpi
// native: no (MPICH crashes)
// exit: nonzero
// stderr-not: crashed
#include "hostile.h"

int main(int argc, char **argv)
{
    MPI_Group world, group;
    MPI_Comm made, graph;
    int one = 1, two = 2, sum[4] = {0};
    hostile_begin(&argc, &argv);
    TRY(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
    TRY(MPI_Comm_group(MPI_COMM_WORLD, &world));
    TRY(MPI_Group_incl(world, rank == 1 ? 2 : 3, (int[]){0, 1, 2}, &group));
    MPI_Comm_create_group(MPI_COMM_WORLD, group, 5, &made);
    MPI_Dist_graph_create(made, rank == 0, &one, &one, &two, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
    MPI_Neighbor_allgather(&one, 1, MPI_INT, sum, 1, MPI_INT, graph);
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    return 0;
}
