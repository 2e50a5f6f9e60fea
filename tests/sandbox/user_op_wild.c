// User-defined operations and callbacks that are no functions, have the wrong type, or call MPI inside.
// ranks: 2 3
// exit: nonzero
#include <mpi.h>

static int wrong_type(double x)
{
    return (int)x;
}

int main(int argc, char **argv)
{
    int value = 1, sum = 0;
    MPI_Op op;
    MPI_Init(&argc, &argv);
    MPI_Op_create((MPI_User_function *)wrong_type, 1, &op);
    MPI_Allreduce(&value, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
