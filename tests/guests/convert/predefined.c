// Every predefined handle of every class becomes an integer and itself again: by MPI_*_toint and MPI_*_fromint, by MPI_*_c2f and MPI_*_f2c.
// ranks: 1
#include "../check.h"

#if defined(MPI_Comm_c2f) || defined(__wasm__)
#define OF_FORTRAN(stem, handle) CHECK(MPI_##stem##_f2c(MPI_##stem##_c2f(handle)) == (handle))
#else
#define OF_FORTRAN(stem, handle) ((void)0)
#endif

// No two handles of a class are one integer, but for second names.
static int seen[128], handles;

#define SAME(stem, handle) \
    do { \
        CHECK(MPI_##stem##_fromint(MPI_##stem##_toint(handle)) == (handle)); \
        OF_FORTRAN(stem, handle); \
        seen[handles++] = MPI_##stem##_toint(handle); \
    } while (0)

static void apart(int second_names)
{
    int same = 0;
    for (int a = 0; a < handles; a++)
        for (int b = 0; b < a; b++)
            same += seen[a] == seen[b];
    CHECK_INT(same, second_names);
    handles = 0;
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    SAME(Comm, MPI_COMM_WORLD);
    SAME(Comm, MPI_COMM_SELF);
    SAME(Comm, MPI_COMM_NULL);
    apart(0);
    SAME(Group, MPI_GROUP_NULL);
    SAME(Group, MPI_GROUP_EMPTY);
    apart(0);
    SAME(Type, MPI_CHAR);
    SAME(Type, MPI_SHORT);
    SAME(Type, MPI_INT);
    SAME(Type, MPI_LONG);
    SAME(Type, MPI_LONG_LONG_INT);
    SAME(Type, MPI_LONG_LONG);
    SAME(Type, MPI_SIGNED_CHAR);
    SAME(Type, MPI_UNSIGNED_CHAR);
    SAME(Type, MPI_UNSIGNED_SHORT);
    SAME(Type, MPI_UNSIGNED);
    SAME(Type, MPI_UNSIGNED_LONG);
    SAME(Type, MPI_UNSIGNED_LONG_LONG);
    SAME(Type, MPI_FLOAT);
    SAME(Type, MPI_DOUBLE);
    SAME(Type, MPI_LONG_DOUBLE);
    SAME(Type, MPI_WCHAR);
    SAME(Type, MPI_C_BOOL);
    SAME(Type, MPI_INT8_T);
    SAME(Type, MPI_INT16_T);
    SAME(Type, MPI_INT32_T);
    SAME(Type, MPI_INT64_T);
    SAME(Type, MPI_UINT8_T);
    SAME(Type, MPI_UINT16_T);
    SAME(Type, MPI_UINT32_T);
    SAME(Type, MPI_UINT64_T);
    SAME(Type, MPI_AINT);
    SAME(Type, MPI_COUNT);
    SAME(Type, MPI_OFFSET);
    SAME(Type, MPI_C_COMPLEX);
    SAME(Type, MPI_C_FLOAT_COMPLEX);
    SAME(Type, MPI_C_DOUBLE_COMPLEX);
    SAME(Type, MPI_C_LONG_DOUBLE_COMPLEX);
    SAME(Type, MPI_BYTE);
    SAME(Type, MPI_PACKED);
    SAME(Type, MPI_INTEGER);
    SAME(Type, MPI_REAL);
    SAME(Type, MPI_DOUBLE_PRECISION);
    SAME(Type, MPI_COMPLEX);
    SAME(Type, MPI_LOGICAL);
    SAME(Type, MPI_CHARACTER);
    SAME(Type, MPI_CXX_BOOL);
    SAME(Type, MPI_CXX_FLOAT_COMPLEX);
    SAME(Type, MPI_CXX_DOUBLE_COMPLEX);
    SAME(Type, MPI_CXX_LONG_DOUBLE_COMPLEX);
    SAME(Type, MPI_DOUBLE_COMPLEX);
    SAME(Type, MPI_INTEGER1);
    SAME(Type, MPI_INTEGER2);
    SAME(Type, MPI_INTEGER4);
    SAME(Type, MPI_INTEGER8);
    SAME(Type, MPI_INTEGER16);
    SAME(Type, MPI_REAL2);
    SAME(Type, MPI_REAL4);
    SAME(Type, MPI_REAL8);
    SAME(Type, MPI_REAL16);
    SAME(Type, MPI_COMPLEX4);
    SAME(Type, MPI_COMPLEX8);
    SAME(Type, MPI_COMPLEX16);
    SAME(Type, MPI_COMPLEX32);
    SAME(Type, MPI_LOGICAL1);
    SAME(Type, MPI_LOGICAL2);
    SAME(Type, MPI_LOGICAL4);
    SAME(Type, MPI_LOGICAL8);
    SAME(Type, MPI_LOGICAL16);
    SAME(Type, MPI_FLOAT_INT);
    SAME(Type, MPI_DOUBLE_INT);
    SAME(Type, MPI_LONG_INT);
    SAME(Type, MPI_2INT);
    SAME(Type, MPI_SHORT_INT);
    SAME(Type, MPI_LONG_DOUBLE_INT);
    SAME(Type, MPI_2REAL);
    SAME(Type, MPI_2DOUBLE_PRECISION);
    SAME(Type, MPI_2INTEGER);
    SAME(Type, MPI_DATATYPE_NULL);
    apart(2);
    SAME(Op, MPI_MAX);
    SAME(Op, MPI_MIN);
    SAME(Op, MPI_SUM);
    SAME(Op, MPI_PROD);
    SAME(Op, MPI_MAXLOC);
    SAME(Op, MPI_MINLOC);
    SAME(Op, MPI_BAND);
    SAME(Op, MPI_BOR);
    SAME(Op, MPI_BXOR);
    SAME(Op, MPI_LAND);
    SAME(Op, MPI_LOR);
    SAME(Op, MPI_LXOR);
    SAME(Op, MPI_REPLACE);
    SAME(Op, MPI_NO_OP);
    SAME(Op, MPI_OP_NULL);
    apart(0);
    SAME(Request, MPI_REQUEST_NULL);
    apart(0);
    SAME(Errhandler, MPI_ERRORS_ARE_FATAL);
    SAME(Errhandler, MPI_ERRORS_ABORT);
    SAME(Errhandler, MPI_ERRORS_RETURN);
    SAME(Errhandler, MPI_ERRHANDLER_NULL);
    apart(0);
    SAME(Info, MPI_INFO_ENV);
    SAME(Info, MPI_INFO_NULL);
    apart(0);
    SAME(Message, MPI_MESSAGE_NO_PROC);
    SAME(Message, MPI_MESSAGE_NULL);
    apart(0);
    SAME(Win, MPI_WIN_NULL);
    apart(0);
    SAME(File, MPI_FILE_NULL);
    apart(0);
    SAME(Session, MPI_SESSION_NULL);
    apart(0);
    return check_end();
}
