// The check of deadlocks is off, until the program turns it on through the tools interface.
// engines: local
// ranks: 2
// exit: 3
// run: --no-deadlock-check
// stderr: deadlock
// stderr: rank 0 waits in MPI_Recv
#include "../guests/check.h"

int main(int argc, char **argv)
{
    int provided, index, count, on = -1, in;
    MPI_T_cvar_handle handle;
    check_begin(&argc, &argv);
    if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) || MPI_T_cvar_get_index("rankine_deadlock_check", &index)
        || MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) || MPI_T_cvar_read(handle, &on) || on != 0)
        return 1;
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    on = 1;
    if (rank == 0 && MPI_T_cvar_write(handle, &on))
        return 1;
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    TRY(MPI_Recv(&in, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    return check_end();
}
