// Objects without end: every class has a quota, and what is refused then is an error. Afterwards all is as before.
// ranks: 1 2
// engines: local
// Over an MPI library the same quotas hold, but a million of its objects take minutes.
// seconds: 60
#include "hostile.h"

enum { MOST = 30 << 20 };

static void user_op(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)in;
    (void)inout;
    (void)count;
    (void)type;
}

static int copy(void *state, MPI_Status *status)
{
    (void)state;
    (void)status;
    return MPI_SUCCESS;
}

static int release(void *state)
{
    (void)state;
    return MPI_SUCCESS;
}

static int cancel(void *state, int complete)
{
    (void)state;
    (void)complete;
    return MPI_SUCCESS;
}

// Calls until it is refused: for want of memory, if it is not an MPI library that refuses it.
#define EXHAUST(call) EXHAUST_OR_FAIL(call, 0)

#define EXHAUST_OR_FAIL(call, or_as_it_likes) \
    do { \
        int made_ = 0, code_ = MPI_SUCCESS; \
        while (made_ < MOST && (code_ = (call)) == MPI_SUCCESS) \
            made_++; \
        if (code_ == MPI_SUCCESS) \
            check_fail(__FILE__, __LINE__, #call, "expected a quota, got %d objects", made_); \
        if (!(or_as_it_likes)) \
            FAILS(code_, MPI_ERR_NO_MEM); \
    } while (0)

int main(int argc, char **argv)
{
    MPI_Datatype type;
    MPI_Info info;
    MPI_Group world, group;
    MPI_Op op;
    MPI_Request request;
    MPI_Errhandler handler;
    MPI_Comm comm;
    int key, code, class, none = 0;
    hostile_begin(&argc, &argv);
    TRY(MPI_Comm_group(MPI_COMM_WORLD, &world));
    EXHAUST(MPI_Type_contiguous(3, MPI_INT, &type));
    EXHAUST(MPI_Info_create(&info));
    EXHAUST(MPI_Group_incl(world, 1, &none, &group));
    EXHAUST(MPI_Op_create(user_op, 1, &op));
    EXHAUST(MPI_Comm_create_errhandler((MPI_Comm_errhandler_function *)user_op, &handler));
    EXHAUST(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL));
    EXHAUST(MPI_Grequest_start(copy, release, cancel, NULL, &request));
    EXHAUST_OR_FAIL(MPI_Add_error_class(&class), !embedded());
    EXHAUST_OR_FAIL(MPI_Add_error_code(MPI_ERR_OTHER, &code), !embedded());
    EXHAUST_OR_FAIL(MPI_Comm_dup(MPI_COMM_SELF, &comm), !embedded());
    return hostile_end();
}
