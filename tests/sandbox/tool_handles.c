// Handles of the tools interface that were never made.
// ranks: 1
// engines: mpi
#include "hostile.h"

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
        CHECK_INT(MPI_T_cvar_write(handle, value), MPI_T_ERR_CVAR_SET_NEVER);
        CHECK_INT(MPI_T_cvar_handle_free(&handle), MPI_SUCCESS);
    }
    TRY(MPI_T_finalize());
    return hostile_end();
}
