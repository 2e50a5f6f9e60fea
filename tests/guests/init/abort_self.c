// MPI_Abort on another communicator than the world may end more ranks than that one's, and here does.
// ranks: 1 2 4
// native: 1
// exit: 19
#include "../check.h"

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    if (rank == 0)
        MPI_Abort(MPI_COMM_SELF, 19);
    MPI_Barrier(MPI_COMM_WORLD);
    return 0;
}
