// A structure is described in another order of its members on each side.
// ranks: 2
// engines: local
// run: --check
// exit: 4
// stderr: a message is received as another type than it was sent as
// stderr: datatype=a derived datatype
// stderr: struct_order.c:
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    struct pair { int n; float x; } pair = {1, 2};
    int lengths[2] = {1, 1};
    MPI_Aint places[2] = {0, sizeof(int)};
    MPI_Datatype here[2] = {MPI_INT, MPI_FLOAT}, there[2] = {MPI_FLOAT, MPI_INT}, type;
    MPI_Type_create_struct(2, lengths, places, rank == 0 ? here : there, &type);
    MPI_Type_commit(&type);
    if (rank == 0)
        MPI_Ssend(&pair, 1, type, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(&pair, 1, type, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&type);
    return MPI_Finalize();
}
