// Two functions with the same string: neither takes the other's words for its own, and that both wait is said.
// ranks: 3
// engines: local
// exit: nonzero
// stderr: deadlock
// stderr-not: panicked
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, value = 7;
    MPI_Session session;
    MPI_Group world, zero, one;
    MPI_Comm made;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &world);
    MPI_Group_incl(world, 1, (int[]){0}, &zero);
    MPI_Group_incl(world, 1, (int[]){1}, &one);
    if (rank == 0) {
        MPI_Intercomm_create_from_groups(zero, 0, one, 0, "t", MPI_INFO_NULL, MPI_ERRORS_RETURN, &made);
    } else if (rank == 1) {
        MPI_Comm_create_from_group(world, "t", MPI_INFO_NULL, MPI_ERRORS_RETURN, &made);
        value = 4242;
        MPI_Send(&value, 1, MPI_INT, 2, 0, made);
    } else {
        // Nothing that rank 1 sends can be its broadcast.
        MPI_Bcast(&value, 1, MPI_INT, 1, MPI_COMM_WORLD);
        MPI_Abort(MPI_COMM_WORLD, 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return 0;
}
