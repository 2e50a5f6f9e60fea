// Types whose entries overlap: a terabyte in a single byte of memory.
// ranks: 1 2
// engines: local
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
    static char out[64], in[64];
    MPI_Datatype a, b;
    MPI_Op op;
    hostile_begin(&argc, &argv);
    TRY(MPI_Type_create_hvector(1 << 20, 1, 0, MPI_BYTE, &a));
    TRY(MPI_Type_create_hvector(1 << 20, 1, 0, a, &b));
    TRY(MPI_Type_commit(&b));
    TRY(MPI_Op_create(keep, 1, &op));
    FAILS(MPI_Reduce_local(in, out, 1, b, op), MPI_ERR_BUFFER);
    FAILS(MPI_Send(out, 1, b, rank, 0, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    FAILS(MPI_Sendrecv_replace(out, 1, b, rank, 0, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_ERR_BUFFER);
    FAILS(MPI_Alltoall(MPI_IN_PLACE, 0, MPI_BYTE, out, 1, b, MPI_COMM_SELF), MPI_ERR_BUFFER);
    TRY(MPI_Op_free(&op));
    TRY(MPI_Type_free(&a));
    TRY(MPI_Type_free(&b));
    return hostile_end();
}
