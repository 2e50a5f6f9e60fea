// A rank returns, another waits for its post, a third for a fence: the report says so of each.
// engines: local
// ranks: 3
// exit: 3
// stderr: deadlock
// stderr: rank 0 waits in MPI_Win_fence: ranks 1 and 2 to do the same with window 'field'
// stderr: rank 1 waits in MPI_Win_start: rank 2 to post window 'field'
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, part = 0, two = 2;
    MPI_Win win;
    MPI_Group world, last;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &two, &last);
    MPI_Win_create(&part, sizeof part, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_name(win, "field");
    if (rank == 0)
        MPI_Win_fence(0, win);
    else if (rank == 1)
        MPI_Win_start(last, 0, win);
    MPI_Finalize();
    return 0;
}
