// MPI_Keyval_create, MPI_Keyval_free, MPI_Attr_put, MPI_Attr_get, MPI_Attr_delete: deprecated, and still in the binary interface.
#include "../check.h"

static int deleted;

static int on_delete(MPI_Comm comm, int keyval, void *value, void *state)
{
    (void)comm;
    (void)keyval;
    (void)value;
    (void)state;
    deleted++;
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    int key, flag = -1;
    char value, *got = NULL;
    MPI_Comm dup;
    check_begin(&argc, &argv);
    TRY(MPI_Keyval_create(MPI_DUP_FN, on_delete, &key, NULL));
    TRY(MPI_Attr_get(MPI_COMM_WORLD, key, &got, &flag));
    CHECK_INT(flag, 0);
    TRY(MPI_Attr_put(MPI_COMM_WORLD, key, &value));
    TRY(MPI_Attr_get(MPI_COMM_WORLD, key, &got, &flag));
    CHECK_INT(flag, 1);
    CHECK(got == &value);
    TRY(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
    TRY(MPI_Attr_get(dup, key, &got, &flag));
    CHECK_INT(flag, 1);
    TRY(MPI_Comm_free(&dup));
    CHECK_INT(deleted, 1);
    TRY(MPI_Attr_delete(MPI_COMM_WORLD, key));
    CHECK_INT(deleted, 2);
    TRY(MPI_Keyval_free(&key));
    CHECK_INT(key, MPI_KEYVAL_INVALID);
    return check_end();
}
