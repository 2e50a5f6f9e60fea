// Objects without end: every class has a quota, and what is refused then is an error. Afterwards all is as before.
// ranks: 2
// engines: local
// Over an MPI library the same quotas hold, but a million of its objects take minutes.
#include "quota.h"

enum { MOST = 30 << 20 };

// Calls until it is refused: for want of memory, if it is not an MPI library that refuses it.
#define EXHAUSTS(call) EXHAUSTS_OR_FAILS(call, 0)

#define EXHAUSTS_OR_FAILS(call, or_as_it_likes) \
    do { \
        int code_ = MPI_SUCCESS; \
        for (made = 0; made < MOST && (code_ = (call)) == MPI_SUCCESS; made++) \
            ; \
        if (code_ == MPI_SUCCESS) \
            check_fail(__FILE__, __LINE__, #call, "expected a quota, got %d objects", made); \
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
    EXHAUSTS(MPI_Type_contiguous(3, MPI_INT, &type));
    EXHAUSTS(MPI_Info_create(&info));
    EXHAUSTS(MPI_Group_incl(world, 1, &none, &group));
    EXHAUSTS(MPI_Op_create(user_op, 1, &op));
    EXHAUSTS(MPI_Comm_create_errhandler(on_error, &handler));
    EXHAUSTS(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL));
    EXHAUSTS(MPI_Grequest_start(grequest_query, grequest_free, grequest_cancel, NULL, &request));
    EXHAUSTS_OR_FAILS(MPI_Add_error_class(&class), !embedded());
    EXHAUSTS_OR_FAILS(MPI_Add_error_code(MPI_ERR_OTHER, &code), !embedded());
    EXHAUSTS_OR_FAILS(MPI_Comm_dup(MPI_COMM_SELF, &comm), !embedded());
    return hostile_end();
}
