// MPI_T_*: counters of a communicator are read; numbers beyond the last are refused, and so are handles that are none.
// ranks: 1
#include "../check.h"

/* Errors of the tools interface are no classes of error handlers. */
#define TOOL(call) CHECK_INT(call, MPI_SUCCESS)
#define REFUSED(call) CHECK((call) != MPI_SUCCESS)

/* Reads what can be read of a performance variable. */
static int counter(MPI_T_pvar_session session, int n)
{
    char name[128];
    int length = sizeof name, verbosity, class = -1, bind = -1, readonly = -1, continuous = -1, atomic = -1, count = 0, index = -1;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_T_pvar_handle handle;
    MPI_Comm comm = MPI_COMM_WORLD;
    char value[4096];
    TOOL(MPI_T_pvar_get_info(n, name, &length, &verbosity, &class, &type, NULL, NULL, NULL, &bind, &readonly, &continuous, &atomic));
    TOOL(MPI_T_pvar_get_index(name, class, &index));
    CHECK_INT(index, n);
    if (bind != MPI_T_BIND_NO_OBJECT && bind != MPI_T_BIND_MPI_COMM)
        return 0;
    TOOL(MPI_T_pvar_handle_alloc(session, n, &comm, &handle, &count));
    CHECK(count >= 1);
    if (!continuous)
        TOOL(MPI_T_pvar_start(session, handle));
    if (count <= 256)
        TOOL(MPI_T_pvar_read(session, handle, value));
    REFUSED(MPI_T_pvar_read(session, handle, (void *)-2L));
    if (!readonly) {
        TOOL(MPI_T_pvar_reset(session, handle));
        if (count <= 256) {
            TOOL(MPI_T_pvar_readreset(session, handle, value));
            TOOL(MPI_T_pvar_write(session, handle, value));
        }
    }
    if (!continuous)
        TOOL(MPI_T_pvar_stop(session, handle));
    TOOL(MPI_T_pvar_handle_free(session, &handle));
    CHECK(handle == MPI_T_PVAR_HANDLE_NULL);
    return 1;
}

int main(int argc, char **argv)
{
    int provided, number = 0, first = 0, update = -1, value = 0, length = 0;
    MPI_T_pvar_session session;
    MPI_T_enum none = (MPI_T_enum)0x70000001;
    MPI_T_event_registration registration = (MPI_T_event_registration)0x70000001;
    MPI_T_event_instance instance = (MPI_T_event_instance)0x70000001;
    MPI_T_cvar_handle variable = (MPI_T_cvar_handle)0x70000001;
    MPI_Info info;
    MPI_Count stamp;
    TOOL(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    check_begin(&argc, &argv);
    TOOL(MPI_T_pvar_session_create(&session));
    TOOL(MPI_T_pvar_get_num(&number));
    for (int n = 0; n < number; n++)
        counter(session, n);
    REFUSED(MPI_T_pvar_get_info(number, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    TOOL(MPI_T_pvar_session_free(&session));

    TOOL(MPI_T_category_changed(&update));
    TOOL(MPI_T_category_get_num(&number));
    REFUSED(MPI_T_category_get_index("no such category", &first));
    if (number > 0) {
        int inner[64];
        TOOL(MPI_T_category_get_pvars(0, 0, inner));
        TOOL(MPI_T_category_get_categories(0, 0, inner));
        TOOL(MPI_T_category_get_num_events(0, &value));
        TOOL(MPI_T_category_get_events(0, 0, inner));
    }

    // Handles that are none.
    CHECK_INT(MPI_T_enum_get_info(none, &value, NULL, NULL), MPI_T_ERR_INVALID_HANDLE);
    CHECK_INT(MPI_T_enum_get_item(none, 0, &value, NULL, &length), MPI_T_ERR_INVALID_HANDLE);
    CHECK_INT(MPI_T_cvar_write(variable, &value), MPI_T_ERR_INVALID_HANDLE);
    CHECK_INT(MPI_T_event_handle_get_info(registration, &info), MPI_T_ERR_INVALID_HANDLE);
    CHECK_INT(MPI_T_event_handle_set_info(registration, MPI_INFO_NULL), MPI_T_ERR_INVALID_HANDLE);
    CHECK_INT(MPI_T_event_callback_get_info(registration, MPI_T_CB_REQUIRE_NONE, &info), MPI_T_ERR_INVALID_HANDLE);
    CHECK_INT(MPI_T_event_callback_set_info(registration, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL), MPI_T_ERR_INVALID_HANDLE);
    CHECK_INT(MPI_T_event_register_callback(registration, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, NULL, NULL), MPI_T_ERR_INVALID_HANDLE);
    CHECK_INT(MPI_T_event_set_dropped_handler(registration, NULL), MPI_T_ERR_INVALID_HANDLE);
    CHECK_INT(MPI_T_event_handle_free(registration, NULL, NULL), MPI_T_ERR_INVALID_HANDLE);
    CHECK_INT(MPI_T_event_read(instance, 0, &value), MPI_T_ERR_INVALID_HANDLE);
    CHECK_INT(MPI_T_event_copy(instance, &value), MPI_T_ERR_INVALID_HANDLE);
    CHECK_INT(MPI_T_event_get_timestamp(instance, &stamp), MPI_T_ERR_INVALID_HANDLE);
    CHECK_INT(MPI_T_event_get_source(instance, &value), MPI_T_ERR_INVALID_HANDLE);

    // Events and sources, as many as there are.
    TOOL(MPI_T_event_get_num(&number));
    REFUSED(MPI_T_event_get_info(number, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    REFUSED(MPI_T_event_get_index("no such event", &first));
    REFUSED(MPI_T_event_handle_alloc(number, NULL, MPI_INFO_NULL, &registration));
    TOOL(MPI_T_source_get_num(&number));
    REFUSED(MPI_T_source_get_info(number, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    REFUSED(MPI_T_source_get_timestamp(number, &stamp));
    int code = check_end();
    TOOL(MPI_T_finalize());
    return code;
}
