// Recursion through MPI's own callbacks: an error handler without an end.
// ranks: 1 2
// exit: nonzero
// stderr-not: panicked
#include <mpi.h>

static void again(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    MPI_Comm_call_errhandler(MPI_COMM_WORLD, *code);
}

int main(int argc, char **argv)
{
    MPI_Errhandler handler;
    MPI_Init(&argc, &argv);
    MPI_Comm_create_errhandler(again, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_OTHER);
    MPI_Finalize();
    return 0;
}
