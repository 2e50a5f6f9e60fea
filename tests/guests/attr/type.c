// MPI_Type_create_keyval, MPI_Type_free_keyval, MPI_Type_set_attr, MPI_Type_get_attr, MPI_Type_delete_attr.
#include "../check.h"

static int copied, deleted;

static int on_copy(MPI_Datatype type, int keyval, void *state, void *in, void *out, int *flag)
{
    (void)type;
    (void)keyval;
    CHECK(state == &copied);
    copied++;
    *(void **)out = in;
    *flag = 1;
    return MPI_SUCCESS;
}

static int on_delete(MPI_Datatype type, int keyval, void *value, void *state)
{
    (void)type;
    (void)keyval;
    CHECK(state == &copied);
    CHECK_STR((char *)value, "metres");
    deleted++;
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    int key, dup_key, flag = -1;
    char *got;
    MPI_Datatype type, copy;
    check_begin(&argc, &argv);
    TRY(MPI_Type_create_keyval(on_copy, on_delete, &key, &copied));
    TRY(MPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, &dup_key, NULL));
    TRY(MPI_Type_contiguous(3, MPI_DOUBLE, &type));
    TRY(MPI_Type_get_attr(type, key, &got, &flag));
    CHECK_INT(flag, 0);
    TRY(MPI_Type_set_attr(type, key, "metres"));
    TRY(MPI_Type_set_attr(type, dup_key, &key));
    TRY(MPI_Type_dup(type, &copy));
    CHECK_INT(copied, 1);
    TRY(MPI_Type_get_attr(copy, key, &got, &flag));
    CHECK_INT(flag, 1);
    CHECK_STR(got, "metres");
    TRY(MPI_Type_get_attr(copy, dup_key, &got, &flag));
    CHECK_INT(flag, 1);
    CHECK(got == (char *)&key);
    TRY(MPI_Type_delete_attr(copy, key));
    CHECK_INT(deleted, 1);
    TRY(MPI_Type_get_attr(copy, key, &got, &flag));
    CHECK_INT(flag, 0);
    TRY(MPI_Type_free(&copy));
    CHECK_INT(deleted, 1);
    TRY(MPI_Type_free(&type));
    CHECK_INT(deleted, 2);
    // On a predefined type, too.
    TRY(MPI_Type_set_attr(MPI_INT, key, "metres"));
    TRY(MPI_Type_get_attr(MPI_INT, key, &got, &flag));
    CHECK_INT(flag, 1);
    TRY(MPI_Type_delete_attr(MPI_INT, key));
    CHECK_INT(deleted, 3);
    TRY(MPI_Type_free_keyval(&key));
    CHECK_INT(key, MPI_KEYVAL_INVALID);
    TRY(MPI_Type_free_keyval(&dup_key));
    FAILS(MPI_Type_get_attr(MPI_INT, MPI_KEYVAL_INVALID, &got, &flag), MPI_ERR_KEYVAL);
    return check_end();
}
