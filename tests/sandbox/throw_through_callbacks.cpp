// An exception that would leave two callbacks that run in one another, past a handler between them: the inner one is
// where it ends.
// ranks: 1
// exit: 134
// stderr: an exception left a callback of MPI (MPI_Comm_dup
// stderr-not: deadlock
#include <cstdio>
#include <mpi.h>

static int throwing(MPI_Comm, int, void *, void *, void *, int *)
{
    throw 1;
}

static int outer(MPI_Comm, int, void *, void *, void *, int *flag)
{
    MPI_Comm copy;
    int key;
    *flag = 0;
    MPI_Comm_create_keyval(throwing, MPI_COMM_NULL_DELETE_FN, &key, nullptr);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr);
    try {
        MPI_Comm_dup(MPI_COMM_SELF, &copy);
    } catch (int) {
        std::puts("caught");
    }
    MPI_Comm_delete_attr(MPI_COMM_SELF, key);
    return 0;
}

int main(int argc, char **argv)
{
    MPI_Comm copy;
    int key;
    MPI_Init(&argc, &argv);
    MPI_Comm_create_keyval(outer, MPI_COMM_NULL_DELETE_FN, &key, nullptr);
    MPI_Comm_set_attr(MPI_COMM_WORLD, key, nullptr);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Finalize();
}
