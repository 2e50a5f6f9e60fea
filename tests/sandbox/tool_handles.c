// Handles of the tools interface that were never made.
// ranks: 1
#include "hostile.h"

static int calls;
static MPI_T_event_instance kept;
static MPI_T_event_registration registration;

/* Ends all that it can reach, and keeps what it was given. */
static void end_everything(MPI_T_event_instance event, MPI_T_event_registration from, MPI_T_cb_safety safety, void *data)
{
    long long values[8];
    MPI_T_event_instance none = (MPI_T_event_instance)from;
    (void)safety, (void)data;
    kept = event;
    calls++;
    REFUSED(MPI_T_finalize());
    REFUSED(MPI_Finalize());
    REFUSED(MPI_T_event_copy(none, values));
    REFUSED(MPI_T_event_copy(event, near_end(1)));
    REFUSED(MPI_T_event_read(event, -1, values));
    REFUSED(MPI_T_event_read(event, 2, values));
    TRY(MPI_Send(&calls, 1, MPI_INT, 0, 3, MPI_COMM_WORLD));
    TRY(MPI_T_event_handle_free(registration, NULL, NULL));
    REFUSED(MPI_T_event_handle_free(registration, NULL, NULL));
}

/* Callbacks of events, of which the embedded engine has some. */
static void hostile_events(MPI_T_pvar_session session)
{
    int event, value, received;
    MPI_T_pvar_session other;
    MPI_T_pvar_handle counter;
    long long values[8];
    TRY(MPI_T_event_get_index("rankine_sent", &event));
    TRY(MPI_T_event_handle_alloc(event, NULL, MPI_INFO_NULL, &registration));
    REFUSED(MPI_T_event_register_callback(registration, (MPI_T_cb_safety)-1, MPI_INFO_NULL, NULL, end_everything));
    TRY(MPI_T_event_register_callback(registration, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, NULL, end_everything));
    for (int i = 0; i < 3; i++)
        TRY(MPI_Send(&event, 1, MPI_INT, 0, 3, MPI_COMM_WORLD));
    for (int i = 0; i < 4; i++)
        TRY(MPI_Recv(&received, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK_INT(calls, 1);
    REFUSED(MPI_T_event_copy(kept, values));
    REFUSED(MPI_T_event_register_callback(registration, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, NULL, end_everything));

    // A variable in another session, and in one that has ended.
    TRY(MPI_T_pvar_session_create(&other));
    TRY(MPI_T_pvar_handle_alloc(other, 0, NULL, &counter, &value));
    REFUSED(MPI_T_pvar_read(session, counter, values));
    REFUSED(MPI_T_pvar_handle_free(session, &counter));
    MPI_T_pvar_session ended = other;
    TRY(MPI_T_pvar_session_free(&other));
    REFUSED(MPI_T_pvar_read(ended, counter, values));
    REFUSED(MPI_T_pvar_session_free(&ended));
}

int main(int argc, char **argv)
{
    int provided, count, length = 10;
    char name[10];
    hostile_begin(&argc, &argv);
    TRY(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    for (uintptr_t handle = 1; handle < 16; handle++) {
        CHECK_INT(MPI_T_enum_get_info((MPI_T_enum)handle, &count, name, &length), MPI_T_ERR_INVALID_HANDLE);
        CHECK(MPI_T_pvar_start((MPI_T_pvar_session)handle, (MPI_T_pvar_handle)handle) != MPI_SUCCESS);
        CHECK_INT(MPI_T_cvar_read((MPI_T_cvar_handle)handle, &count), MPI_T_ERR_INVALID_HANDLE);
    }
    // Null handles, and those of another class.
    uintptr_t others[] = {0, 1, 0x10000, 0x20000001, (uintptr_t)-1, (uintptr_t)MPI_COMM_WORLD};
    MPI_T_pvar_session session;
    TRY(MPI_T_pvar_session_create(&session));
    for (unsigned i = 0; i < 7; i++) {
        uintptr_t handle = i < 6 ? others[i] : (uintptr_t)session;
        MPI_T_event_registration event = (MPI_T_event_registration)handle;
        MPI_T_event_instance instance = (MPI_T_event_instance)handle;
        MPI_T_cvar_handle variable = (MPI_T_cvar_handle)handle;
        MPI_T_pvar_handle counter = (MPI_T_pvar_handle)handle;
        MPI_Info info;
        MPI_Count ticks;
        double value[4];
        REFUSED(MPI_T_event_handle_get_info(event, &info));
        REFUSED(MPI_T_event_handle_set_info(event, MPI_INFO_NULL));
        REFUSED(MPI_T_event_handle_free(event, NULL, NULL));
        REFUSED(MPI_T_event_callback_get_info(event, MPI_T_CB_REQUIRE_NONE, &info));
        REFUSED(MPI_T_event_callback_set_info(event, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL));
        REFUSED(MPI_T_event_get_timestamp(instance, &ticks));
        REFUSED(MPI_T_event_get_source(instance, &count));
        REFUSED(MPI_T_event_read(instance, 0, value));
        REFUSED(MPI_T_cvar_read(variable, value));
        REFUSED(MPI_T_cvar_handle_free(&variable));
        REFUSED(MPI_T_pvar_read(session, counter, value));
        if (counter != MPI_T_PVAR_ALL_HANDLES)
            REFUSED(MPI_T_pvar_start(session, counter));
        REFUSED(MPI_T_pvar_handle_free(session, &counter));
        REFUSED(MPI_T_enum_get_item((MPI_T_enum)handle, 0, &count, name, &length));
        if (i < 6) {
            MPI_T_pvar_session other = (MPI_T_pvar_session)handle;
            REFUSED(MPI_T_pvar_stop(other, MPI_T_PVAR_ALL_HANDLES));
            REFUSED(MPI_T_pvar_session_free(&other));
        }
    }
    if (embedded())
        hostile_events(session);
    TRY(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES));
    TRY(MPI_T_pvar_stop(session, MPI_T_PVAR_ALL_HANDLES));
    TRY(MPI_T_pvar_session_free(&session));
    // Lengths that are negative, and settings that the library trusts.
    int room = -1, other = -7, found = -1;
    MPI_Datatype type;
    CHECK_INT(MPI_T_cvar_get_info(0, name, &room, NULL, &type, NULL, NULL, &other, NULL, NULL), MPI_SUCCESS);
    TRY(MPI_T_cvar_get_num(&found));
    CHECK(found > 0);
    for (int i = 0; i < found; i++) {
        MPI_T_cvar_handle handle;
        static char value[100000];
        if (MPI_T_cvar_handle_alloc(i, NULL, &handle, &count) != MPI_SUCCESS) continue;
        // The library's can't be written, whatever they say; the embedded engine's are what they say.
        int scope = MPI_T_SCOPE_CONSTANT, outcome;
        CHECK_INT(MPI_T_cvar_read(handle, value), MPI_SUCCESS);
        CHECK_INT(MPI_T_cvar_get_info(i, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, &scope), MPI_SUCCESS);
        outcome = MPI_T_cvar_write(handle, value);
        CHECK(outcome == MPI_T_ERR_CVAR_SET_NEVER || (outcome == MPI_SUCCESS && scope != MPI_T_SCOPE_CONSTANT));
        CHECK(MPI_T_cvar_write(handle, near_end(1)) != MPI_SUCCESS);
        CHECK_INT(MPI_T_cvar_handle_free(&handle), MPI_SUCCESS);
    }
    TRY(MPI_T_finalize());
    return hostile_end();
}
