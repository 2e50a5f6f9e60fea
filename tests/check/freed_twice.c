// A communicator that is freed by another name of it.
// ranks: 2
// engines: local
// run: --check
// exit: 5
// stderr: is not a communicator of this rank (freed, or never made) (MPI_ERR_COMM)
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm comm, same;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    same = comm;
    MPI_Comm_free(&comm);
    MPI_Comm_free(&same);
    return MPI_Finalize();
}
