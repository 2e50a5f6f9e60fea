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
    TRY(MPI_T_finalize());
    return hostile_end();
}
