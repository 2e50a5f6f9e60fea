// Ranks that named different groups for one communicator, and go on with it: rank 0 waits for what will never come, and that is said.
// ranks: 3
// engines: local
// exit: nonzero
// stderr: deadlock
// stderr-not: panicked
// stderr-not: internal error
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, source, degree = 1, destination;
    MPI_Group world, group;
    MPI_Comm made, graph;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    if (rank < 2) {
        MPI_Group_incl(world, rank == 0 ? 2 : 3, (int[]){0, 1, 2}, &group);
        MPI_Comm_create_group(MPI_COMM_WORLD, group, 5, &made);
        source = rank == 0 ? 0 : 2;
        destination = rank == 0 ? 1 : 2;
        if (made != MPI_COMM_NULL)
            MPI_Dist_graph_create(made, 1, &source, &degree, &destination, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
