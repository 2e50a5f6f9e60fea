// The error handler that MPI_Session_init, MPI_Comm_create_from_group and MPI_Intercomm_create_from_groups are given hears
// of what goes wrong in the call itself; a bad one leaves that to MPI_COMM_SELF's.
// ranks: 1 2
// native: no (a library has no object yet whose handler it could call)
#include "../check.h"

static int of_session, of_comm, of_self, code_seen;
static MPI_Session session_seen;
static MPI_Comm comm_seen;

static void on_session(MPI_Session *session, int *code, ...)
{
    of_session++;
    code_seen = check_class(*code);
    session_seen = *session;
}

static void on_comm(MPI_Comm *comm, int *code, ...)
{
    of_comm++;
    code_seen = check_class(*code);
    comm_seen = *comm;
}

static void on_self(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    of_self++;
    code_seen = check_class(*code);
}

static void sessions(MPI_Errhandler for_sessions, MPI_Errhandler for_comms)
{
    MPI_Info info, made_up = (MPI_Info)(uintptr_t)0x7abcdef0u;
    MPI_Session session;
    TRY(MPI_Info_create(&info));
    TRY(MPI_Info_set(info, "thread_level", "MPI_THREAD_MANY"));
    FAILS(MPI_Session_init(info, for_sessions, &session), MPI_ERR_INFO_VALUE);
    CHECK_INT(of_session, 1);
    CHECK_INT(code_seen, MPI_ERR_INFO_VALUE);
    CHECK(session_seen == MPI_SESSION_NULL);
    CHECK(session == MPI_SESSION_NULL);
    FAILS(MPI_Session_init(made_up, for_sessions, &session), MPI_ERR_INFO);
    CHECK_INT(of_session, 2);
    /* Returned, and nobody hears of it. */
    FAILS(MPI_Session_init(info, MPI_ERRORS_RETURN, &session), MPI_ERR_INFO_VALUE);
    CHECK_INT(of_self, 0);
    /* One for other objects, and none at all. */
    FAILS(MPI_Session_init(MPI_INFO_NULL, for_comms, &session), MPI_ERR_ERRHANDLER);
    CHECK_INT(of_self, 1);
    FAILS(MPI_Session_init(MPI_INFO_NULL, MPI_ERRHANDLER_NULL, &session), MPI_ERR_ERRHANDLER);
    CHECK_INT(of_self, 2);
    CHECK_INT(of_session, 2);
    CHECK_INT(of_comm, 0);
    /* With a level that there is, nothing goes wrong. */
    TRY(MPI_Info_set(info, "thread_level", "MPI_THREAD_FUNNELED"));
    TRY(MPI_Session_init(info, for_sessions, &session));
    TRY(MPI_Session_finalize(&session));
    CHECK_INT(of_session, 2);
    TRY(MPI_Info_free(&info));
}

static void groups(MPI_Errhandler for_comms)
{
    MPI_Group all;
    MPI_Comm made;
    TRY(MPI_Comm_group(MPI_COMM_WORLD, &all));
    comm_seen = MPI_COMM_WORLD;
    FAILS(MPI_Comm_create_from_group(MPI_GROUP_NULL, "given", MPI_INFO_NULL, for_comms, &made), MPI_ERR_GROUP);
    CHECK_INT(of_comm, 1);
    CHECK_INT(code_seen, MPI_ERR_GROUP);
    CHECK(comm_seen == MPI_COMM_NULL);
    CHECK(made == MPI_COMM_NULL);
    FAILS(MPI_Intercomm_create_from_groups(MPI_GROUP_NULL, 0, all, 0, "given", MPI_INFO_NULL, for_comms, &made),
        MPI_ERR_GROUP);
    CHECK_INT(of_comm, 2);
    FAILS(MPI_Comm_create_from_group(all, "given", MPI_INFO_NULL, MPI_ERRHANDLER_NULL, &made), MPI_ERR_ERRHANDLER);
    CHECK_INT(of_comm, 2);
    CHECK_INT(of_self, 3);
    TRY(MPI_Comm_create_from_group(all, "given", MPI_INFO_NULL, for_comms, &made));
    CHECK_INT(of_comm, 2);
    TRY(MPI_Comm_free(&made));
    TRY(MPI_Group_free(&all));
}

int main(int argc, char **argv)
{
    MPI_Errhandler for_sessions, for_comms, for_self;
    check_begin(&argc, &argv);
    TRY(MPI_Comm_create_errhandler(on_self, &for_self));
    TRY(MPI_Comm_set_errhandler(MPI_COMM_SELF, for_self));
    TRY(MPI_Session_create_errhandler(on_session, &for_sessions));
    TRY(MPI_Comm_create_errhandler(on_comm, &for_comms));
    sessions(for_sessions, for_comms);
    groups(for_comms);
    TRY(MPI_Errhandler_free(&for_sessions));
    TRY(MPI_Errhandler_free(&for_comms));
    TRY(MPI_Errhandler_free(&for_self));
    return check_end();
}
