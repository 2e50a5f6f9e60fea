// An exception that leaves a function of an attribute would unwind MPI's own call, which the engine would take for running
// from then on. It is a trap, though the program would catch it.
// ranks: 1 2
// exit: 134
// stderr: an exception left a callback of MPI (MPI_Comm_dup
// stderr-not: deadlock
#include <cstdio>
#include <mpi.h>

static int copy(MPI_Comm, int, void *, void *, void *, int *)
{
    throw 1;
}

int main(int argc, char **argv)
{
    MPI_Comm duplicate;
    int key;
    MPI_Init(&argc, &argv);
    MPI_Comm_create_keyval(copy, MPI_COMM_NULL_DELETE_FN, &key, nullptr);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr);
    try {
        MPI_Comm_dup(MPI_COMM_SELF, &duplicate);
    } catch (int) {
        std::puts("caught");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
}
