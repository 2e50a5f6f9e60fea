// MPI_Session_create_errhandler, _set_errhandler, _get_errhandler, _call_errhandler.
#include "../check.h"

static int called, code_seen;
static MPI_Session session_seen;

static void handler(MPI_Session *session, int *code, ...)
{
    called++;
    code_seen = *code;
    session_seen = *session;
}

int main(int argc, char **argv)
{
    MPI_Session session;
    MPI_Errhandler mine, got;
    check_begin(&argc, &argv);
    TRY(MPI_Session_create_errhandler(handler, &mine));
    TRY(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));
    TRY(MPI_Session_get_errhandler(session, &got));
    CHECK(got == MPI_ERRORS_RETURN);
    TRY(MPI_Errhandler_free(&got));
    TRY(MPI_Session_set_errhandler(session, mine));
    TRY(MPI_Errhandler_free(&mine));
    TRY(MPI_Session_call_errhandler(session, MPI_ERR_OTHER));
    CHECK_INT(called, 1);
    CHECK_INT(code_seen, MPI_ERR_OTHER);
    CHECK(session_seen == session);
    TRY(MPI_Session_finalize(&session));
    return check_end();
}
