// Buffers that are freed and reused, types, communicators and operations that are freed while in use.
// ranks: 2 4
#include "hostile.h"

static void add(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

int main(int argc, char **argv)
{
    MPI_Request requests[2];
    MPI_Comm dup;
    MPI_Datatype type;
    MPI_Op op;
    hostile_begin(&argc, &argv);
    int next = (rank + 1) % size, before = (rank + size - 1) % size, sum = 0;
    int *in = malloc(40000 * sizeof *in), *out = calloc(40000, sizeof *out);
    TRY(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
    TRY(MPI_Type_vector(20000, 1, 2, MPI_INT, &type));
    TRY(MPI_Type_commit(&type));
    TRY(MPI_Irecv(in, 1, type, before, 0, dup, &requests[0]));
    TRY(MPI_Isend(out, 1, type, next, 0, dup, &requests[1]));
    TRY(MPI_Type_free(&type));
    TRY(MPI_Comm_free(&dup));
    // The memory is given away while messages may still write it: they write into our own memory, no other.
    free(in);
    free(out);
    TRY(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    TRY(MPI_Op_create(add, 1, &op));
    MPI_Op copy = op;
    TRY(MPI_Op_free(&op));
    FAILS(MPI_Allreduce(&rank, &sum, 1, MPI_INT, copy, MPI_COMM_WORLD), MPI_ERR_OP);
    return hostile_end();
}
