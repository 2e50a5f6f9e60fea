// MPI_Comm_create_keyval, MPI_Comm_free_keyval, MPI_Comm_set_attr, MPI_Comm_get_attr, MPI_Comm_delete_attr: when callbacks run, and with what.
#include "../check.h"

static int copied, deleted, refuse_copy, fail_delete, extra = 17;

static int on_copy(MPI_Comm comm, int keyval, void *state, void *in, void *out, int *flag)
{
    (void)keyval;
    CHECK(comm == MPI_COMM_WORLD);
    CHECK(state == &extra);
    copied++;
    *(void **)out = (char *)in + 1;
    *flag = !refuse_copy;
    return MPI_SUCCESS;
}

static int on_delete(MPI_Comm comm, int keyval, void *value, void *state)
{
    (void)comm;
    (void)keyval;
    (void)value;
    CHECK(state == &extra);
    deleted++;
    return fail_delete ? MPI_ERR_OTHER : MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    static char values[10];
    int key, plain, shared, flag = -1, old;
    char *got = NULL;
    MPI_Comm dup;
    check_begin(&argc, &argv);
    TRY(MPI_Comm_create_keyval(on_copy, on_delete, &key, &extra));
    TRY(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &plain, NULL));
    TRY(MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &shared, NULL));
    CHECK(key != MPI_KEYVAL_INVALID && key != plain && plain != shared);
    TRY(MPI_Comm_get_attr(MPI_COMM_WORLD, key, &got, &flag));
    CHECK_INT(flag, 0);
    TRY(MPI_Comm_set_attr(MPI_COMM_WORLD, key, &values[1]));
    TRY(MPI_Comm_set_attr(MPI_COMM_WORLD, plain, &values[2]));
    TRY(MPI_Comm_set_attr(MPI_COMM_WORLD, shared, &values[3]));
    TRY(MPI_Comm_get_attr(MPI_COMM_WORLD, key, &got, &flag));
    CHECK_INT(flag, 1);
    CHECK(got == &values[1]);
    // A new value deletes the old one.
    TRY(MPI_Comm_set_attr(MPI_COMM_WORLD, key, &values[5]));
    CHECK_INT(deleted, 1);
    TRY(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
    CHECK_INT(copied, 1);
    TRY(MPI_Comm_get_attr(dup, key, &got, &flag));
    CHECK_INT(flag, 1);
    CHECK(got == &values[6]);
    TRY(MPI_Comm_get_attr(dup, plain, &got, &flag));
    CHECK_INT(flag, 0);
    TRY(MPI_Comm_get_attr(dup, shared, &got, &flag));
    CHECK_INT(flag, 1);
    CHECK(got == &values[3]);
    TRY(MPI_Comm_free(&dup));
    CHECK_INT(deleted, 2);
    refuse_copy = 1;
    TRY(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
    CHECK_INT(copied, 2);
    TRY(MPI_Comm_get_attr(dup, key, &got, &flag));
    CHECK_INT(flag, 0);
    TRY(MPI_Comm_free(&dup));
    CHECK_INT(deleted, 2);
    // A split copies nothing.
    TRY(MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &dup));
    CHECK_INT(copied, 2);
    TRY(MPI_Comm_get_attr(dup, shared, &got, &flag));
    CHECK_INT(flag, 0);
    TRY(MPI_Comm_free(&dup));
    // A freed keyval works on where an attribute of it lives.
    old = key;
    TRY(MPI_Comm_free_keyval(&key));
    CHECK_INT(key, MPI_KEYVAL_INVALID);
    TRY(MPI_Comm_get_attr(MPI_COMM_WORLD, old, &got, &flag));
    CHECK_INT(flag, 1);
    TRY(MPI_Comm_delete_attr(MPI_COMM_WORLD, old));
    CHECK_INT(deleted, 3);
    TRY(MPI_Comm_delete_attr(MPI_COMM_WORLD, shared));
    TRY(MPI_Comm_get_attr(MPI_COMM_WORLD, shared, &got, &flag));
    CHECK_INT(flag, 0);
    TRY(MPI_Comm_free_keyval(&shared));
    TRY(MPI_Comm_delete_attr(MPI_COMM_WORLD, plain));
    TRY(MPI_Comm_free_keyval(&plain));
    // A delete callback that fails keeps the attribute.
    TRY(MPI_Comm_create_keyval(on_copy, on_delete, &key, &extra));
    TRY(MPI_Comm_set_attr(MPI_COMM_SELF, key, &values[1]));
    fail_delete = 1;
    CHECK(MPI_Comm_delete_attr(MPI_COMM_SELF, key) != MPI_SUCCESS);
    fail_delete = 0;
    TRY(MPI_Comm_delete_attr(MPI_COMM_SELF, key));
    TRY(MPI_Comm_free_keyval(&key));
    FAILS(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_KEYVAL_INVALID, &got, &flag), MPI_ERR_KEYVAL);
    FAILS(MPI_Comm_set_attr(MPI_COMM_WORLD, MPI_KEYVAL_INVALID, NULL), MPI_ERR_KEYVAL);
    key = MPI_KEYVAL_INVALID;
    FAILS(MPI_Comm_free_keyval(&key), MPI_ERR_KEYVAL);
    return check_end();
}
