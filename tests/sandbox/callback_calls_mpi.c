// Callbacks may call MPI where the standard lets them: attributes copied while a communicator is made, an error handler that sends.
// ranks: 1 2 3
#include "hostile.h"

static int depth;

static int on_copy(MPI_Comm comm, int keyval, void *state, void *in, void *out, int *flag)
{
    int n;
    (void)keyval;
    (void)state;
    TRY(MPI_Comm_size(comm, &n));
    CHECK_INT(n, size);
    MPI_Datatype type;
    TRY(MPI_Type_contiguous(3, MPI_INT, &type));
    TRY(MPI_Type_free(&type));
    *(void **)out = in;
    *flag = 1;
    return MPI_SUCCESS;
}

// An error in the handler of an error calls it again, until it stops.
static void on_error(MPI_Comm *comm, int *code, ...)
{
    int value = 0;
    (void)code;
    if (++depth < 20)
        MPI_Send(&value, 1, MPI_INT, size, 0, *comm);
}

int main(int argc, char **argv)
{
    int key, value = 0;
    MPI_Comm dup;
    MPI_Errhandler handler;
    hostile_begin(&argc, &argv);
    TRY(MPI_Comm_create_keyval(on_copy, MPI_COMM_NULL_DELETE_FN, &key, NULL));
    TRY(MPI_Comm_set_attr(MPI_COMM_WORLD, key, &key));
    TRY(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
    TRY(MPI_Comm_delete_attr(MPI_COMM_WORLD, key));
    TRY(MPI_Comm_create_errhandler(on_error, &handler));
    TRY(MPI_Comm_set_errhandler(dup, handler));
    MPI_Send(&value, 1, MPI_INT, size, 0, dup);
    CHECK_INT(depth, 20);
    TRY(MPI_Errhandler_free(&handler));
    TRY(MPI_Comm_set_errhandler(dup, MPI_ERRORS_RETURN));
    TRY(MPI_Comm_free(&dup));
    return hostile_end();
}
