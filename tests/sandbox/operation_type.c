// The type that a reduction's function is given is the library's for the time of the operation: a word of it that the function has
// kept names nothing later, whatever has been made in its place.
// ranks: 1 2
#include <mpi.h>
#include <stdio.h>

static MPI_Datatype kept = MPI_DATATYPE_NULL;

static void keep(void *in, void *inout, int *length, MPI_Datatype *type)
{
    int *from = in, *to = inout;
    for (int i = 0; i < *length; i++) to[i] += from[i];
    kept = *type;
}

int main(int argc, char **argv)
{
    int mine[4] = {1, 2, 3, 4}, all[4] = {0}, ranks, size = 0;
    MPI_Datatype type;
    MPI_Op op;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Op_create(keep, 1, &op);
    MPI_Type_contiguous(1, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Datatype first = type;
    MPI_Iallreduce(mine, all, 4, type, op, MPI_COMM_WORLD, &request);
    MPI_Type_free(&type);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    int is_right = all[3] == 4 * ranks || ranks == 1;
    if (kept != MPI_DATATYPE_NULL && kept != first) is_right &= MPI_Type_size(kept, &size) != MPI_SUCCESS;
    MPI_Op_free(&op);
    int everywhere = 0, rank = 0;
    MPI_Allreduce(&is_right, &everywhere, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) puts(everywhere ? "OK" : "wrong");
    MPI_Finalize();
    return 0;
}
