// MPI_Session_init, _finalize, _get_num_psets, _get_nth_pset, _get_pset_info, _get_info, MPI_Group_from_session_pset,
// MPI_Comm_create_from_group: a communicator without MPI_Init.
#include "../check.h"

/* A session tells its level of thread support, which is perhaps not what it has asked for. */
static void check_levels(void)
{
    const char *levels[] = {"MPI_THREAD_SINGLE", "MPI_THREAD_FUNNELED", "MPI_THREAD_SERIALIZED", "MPI_THREAD_MULTIPLE"};
    for (int asked = 0; asked < 4; asked++) {
        MPI_Session session;
        MPI_Info info;
        char value[32];
        int length = sizeof value, flag = 0, level = 0;
        TRY(MPI_Info_create(&info));
        TRY(MPI_Info_set(info, "thread_level", levels[asked]));
        TRY(MPI_Session_init(info, MPI_ERRORS_RETURN, &session));
        TRY(MPI_Info_free(&info));
        TRY(MPI_Session_get_info(session, &info));
        TRY(MPI_Info_get_string(info, "thread_level", &length, value, &flag));
        CHECK_INT(flag, 1);
        while (level < 4 && strcmp(value, levels[level]) != 0)
            level++;
        CHECK(level < 4);
        TRY(MPI_Info_free(&info));
        TRY(MPI_Session_finalize(&session));
    }
}

int main(int argc, char **argv)
{
    MPI_Session session, second;
    MPI_Group group;
    MPI_Comm comm;
    MPI_Info info;
    int n = -1, length, flag, sum = -1, found = 0;
    char name[MPI_MAX_PSET_NAME_LEN], value[32];
    (void)argc;
    (void)argv;
    TRY(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));
    CHECK(session != MPI_SESSION_NULL);
    TRY(MPI_Session_get_info(session, &info));
    TRY(MPI_Info_free(&info));
    TRY(MPI_Session_get_num_psets(session, MPI_INFO_NULL, &n));
    CHECK(n >= 2);
    for (int i = 0; i < n; i++) {
        length = 0;
        TRY(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &length, NULL));
        CHECK(length > 1 && length <= MPI_MAX_PSET_NAME_LEN);
        TRY(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &length, name));
        CHECK_INT(strlen(name) + 1, length);
        found |= strcmp(name, "mpi://WORLD") == 0 ? 1 : strcmp(name, "mpi://SELF") == 0 ? 2 : 0;
    }
    CHECK_INT(found, 3);
    TRY(MPI_Session_get_pset_info(session, "mpi://WORLD", &info));
    length = sizeof value;
    TRY(MPI_Info_get_string(info, "mpi_size", &length, value, &flag));
    CHECK_INT(flag, 1);
    TRY(MPI_Info_free(&info));
    TRY(MPI_Group_from_session_pset(session, "mpi://WORLD", &group));
    TRY(MPI_Group_rank(group, &rank));
    TRY(MPI_Group_size(group, &size));
    CHECK_INT(atoi(value), size);
    TRY(MPI_Comm_create_from_group(group, "a tag of ours", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
    TRY(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm));
    CHECK_INT(sum, size * (size - 1) / 2);
    TRY(MPI_Comm_free(&comm));
    TRY(MPI_Group_free(&group));
    // Sessions are independent of one another.
    TRY(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &second));
    TRY(MPI_Group_from_session_pset(second, "mpi://SELF", &group));
    TRY(MPI_Group_size(group, &n));
    CHECK_INT(n, 1);
    TRY(MPI_Group_free(&group));
    CHECK(MPI_Group_from_session_pset(second, "mpi://NOBODY", &group) != MPI_SUCCESS);
    TRY(MPI_Session_finalize(&second));
    CHECK(second == MPI_SESSION_NULL);
    check_levels();
    TRY(MPI_Session_finalize(&session));
    if (rank == 0)
        puts("OK");
    return 0;
}
