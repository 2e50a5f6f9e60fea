// A callback whose index is outside the function table: an error or a trap of its own, not of the host.
// ranks: 1 2
// exit: nonzero
// stderr-not: panicked
#include <mpi.h>

int main(int argc, char **argv)
{
    int key;
    MPI_Comm dup;
    MPI_Init(&argc, &argv);
    MPI_Comm_create_keyval((MPI_Comm_copy_attr_function *)0x7ffffff, MPI_COMM_NULL_DELETE_FN, &key, 0);
    MPI_Comm_set_attr(MPI_COMM_WORLD, key, &key);
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    MPI_Finalize();
    return 0;
}
