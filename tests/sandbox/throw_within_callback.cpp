// An exception that stays within a callback is the program's own affair, also around calls of MPI.
// ranks: 1 2 4
// stdout: OK
#include <cstdio>
#include <cstdlib>
#include <mpi.h>

static int caught;

static void operation(void *in, void *inout, int *count, MPI_Datatype *type)
{
    try {
        int bytes;
        MPI_Type_size(*type, &bytes);
        throw bytes;
    } catch (int bytes) {
        caught += bytes == sizeof(int);
    }
    for (int i = 0; i < *count; i++)
        static_cast<int *>(inout)[i] += static_cast<int *>(in)[i];
}

int main(int argc, char **argv)
{
    int one = 1, sum = 2, rank;
    MPI_Op op;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Op_create(operation, 1, &op);
    MPI_Reduce_local(&one, &sum, 1, MPI_INT, op);
    if (caught != 1 || sum != 3)
        std::abort();
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        std::puts("OK");
    MPI_Finalize();
}
