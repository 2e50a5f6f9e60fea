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
