// Functions that MPI calls free what the call works on: their handles are gone, and the call ends as if nothing had happened.
// ranks: 1 2 4
#include "hostile.h"

static MPI_Comm work;
static MPI_Op op;
static MPI_Datatype pair;
static int freed;

static void add(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < 2 * *count; i++) ((int *)inout)[i] += ((int *)in)[i];
    if (freed++ == 0) {
        TRY(MPI_Op_free(&op));
        TRY(MPI_Type_free(&pair));
        CHECK(op == MPI_OP_NULL && pair == MPI_DATATYPE_NULL);
    }
}

static int on_copy(MPI_Comm comm, int key, void *state, void *in, void *out, int *flag)
{
    (void)comm;
    (void)key;
    (void)state;
    (void)in;
    (void)out;
    *flag = 0;
    TRY(MPI_Comm_free(&work));
    CHECK(work == MPI_COMM_NULL);
    return MPI_SUCCESS;
}

/* The type that is being freed can be asked about, and no more. */
static int on_type_delete(MPI_Datatype type, int key, void *value, void *state)
{
    MPI_Datatype again;
    int bytes;
    (void)key;
    (void)value;
    (void)state;
    TRY(MPI_Type_size(type, &bytes));
    CHECK_INT(bytes, 8);
    if (!embedded()) FAILS(MPI_Type_contiguous(1, type, &again), MPI_ERR_TYPE);
    return MPI_SUCCESS;
}

/* What frees one object frees another, whose functions free the next. */
static MPI_Comm chain[4];
static int at;

static int on_chain(MPI_Comm comm, int key, void *value, void *state)
{
    (void)comm;
    (void)key;
    (void)value;
    (void)state;
    if (at > 0) {
        at--;
        TRY(MPI_Comm_free(&chain[at]));
    }
    return MPI_SUCCESS;
}

static int deleted;

static int on_delete(MPI_Comm comm, int key, void *value, void *state)
{
    (void)key;
    (void)value;
    (void)state;
    MPI_Comm again = comm;
    if (deleted++ == 0) MPI_Comm_free(&again); // it is being freed
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    int in[2000], sum[2000], key;
    MPI_Comm dup;
    hostile_begin(&argc, &argv);
    for (int i = 0; i < 2000; i++) in[i] = rank + i;
    MPI_Datatype type;
    TRY(MPI_Type_contiguous(2, MPI_INT, &type));
    TRY(MPI_Type_commit(&type));
    pair = type;
    TRY(MPI_Op_create(add, 1, &op));
    TRY(MPI_Allreduce(in, sum, 1000, type, op, MPI_COMM_WORLD));
    for (int i = 0; i < 2000; i++) CHECK_INT(sum[i], size * i + size * (size - 1) / 2);
    // Some ranks may have nothing to add.
    int all = 0;
    TRY(MPI_Allreduce(&freed, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK(all > 0 || size == 1);
    if (freed) FAILS(MPI_Type_size(type, &key), MPI_ERR_TYPE);

    TRY(MPI_Comm_dup(MPI_COMM_WORLD, &work));
    TRY(MPI_Comm_create_keyval(on_copy, MPI_COMM_NULL_DELETE_FN, &key, NULL));
    TRY(MPI_Comm_set_attr(work, key, &key));
    TRY(MPI_Comm_dup(work, &dup));
    TRY(MPI_Barrier(dup));
    TRY(MPI_Comm_free(&dup));
    TRY(MPI_Comm_free_keyval(&key));

    TRY(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_delete, &key, NULL));
    TRY(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
    TRY(MPI_Comm_set_attr(dup, key, &key));
    int code = MPI_Comm_free(&dup); // or it is gone already, as the embedded engine has it
    CHECK(code == MPI_SUCCESS || (embedded() && check_class(code) == MPI_ERR_COMM));
    CHECK(deleted > 0);

    TRY(MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, on_type_delete, &key, NULL));
    TRY(MPI_Type_contiguous(2, MPI_INT, &type));
    TRY(MPI_Type_set_attr(type, key, NULL));
    TRY(MPI_Type_free(&type));
    TRY(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_chain, &key, NULL));
    for (at = 0; at < 4; at++) {
        TRY(MPI_Comm_dup(MPI_COMM_WORLD, &chain[at]));
        TRY(MPI_Comm_set_attr(chain[at], key, NULL));
    }
    at = 3;
    TRY(MPI_Comm_free(&chain[3]));
    CHECK_INT(at, 0);
    for (int i = 0; i < 4; i++) CHECK(chain[i] == MPI_COMM_NULL);
    return hostile_end();
}
