// Synchronous sends around a ring that nobody receives; the communicator is called by its name.
// engines: local
// ranks: 2 4
// exit: 3
// stderr: deadlock
// stderr: MPI_Ssend
// stderr: ocean
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Comm ocean;
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &ocean);
    MPI_Comm_set_name(ocean, "ocean");
    MPI_Comm_rank(ocean, &rank);
    MPI_Comm_size(ocean, &size);
    MPI_Ssend(&rank, 1, MPI_INT, (rank + 1) % size, 5, ocean);
    MPI_Finalize();
    return 0;
}
