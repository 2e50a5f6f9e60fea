// A reduction of elements that lie downwards, by an operation of the program's own: an MPI library makes room for them upwards.
// ranks: 1 2 4
// engines: mpi
#include "hostile.h"

static void keep(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)in;
    (void)inout;
    (void)count;
    (void)type;
}

int main(int argc, char **argv)
{
    static int in[4000], out[4000];
    MPI_Datatype down;
    MPI_Op op;
    hostile_begin(&argc, &argv);
    TRY(MPI_Type_create_resized(MPI_INT, 0, -8, &down));
    TRY(MPI_Type_commit(&down));
    TRY(MPI_Op_create(keep, 1, &op));
    FAILS(MPI_Reduce(in + 3000, out + 3000, 1000, down, op, 0, MPI_COMM_WORLD), MPI_ERR_TYPE);
    FAILS(MPI_Scan(in + 3000, out + 3000, 1000, down, op, MPI_COMM_WORLD), MPI_ERR_TYPE);
    TRY(MPI_Op_free(&op));
    TRY(MPI_Type_free(&down));
    return hostile_end();
}
