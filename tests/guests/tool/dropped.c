// More events than can wait until the next call: some are told, of the others a handler hears how many.
// engines: local
// ranks: 2
// native: no (its events are the embedded engine's)
#include "../check.h"

#define TOOL(call) CHECK_INT(call, MPI_SUCCESS)

enum { MANY = 3000 };

static MPI_T_event_registration registration;
static long long heard, dropped;

static void hear(MPI_T_event_instance event, MPI_T_event_registration from, MPI_T_cb_safety safety, void *data)
{
    (void)event, (void)from, (void)safety, (void)data;
    heard++;
}

static void drop(MPI_Count count, MPI_T_event_registration from, int source, MPI_T_cb_safety safety, void *data)
{
    (void)safety;
    CHECK(from == registration && data == &heard);
    CHECK_INT(source, 0);
    dropped += count;
}

int main(int argc, char **argv)
{
    int provided, index, one = 1;
    TOOL(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    check_begin(&argc, &argv);
    TOOL(MPI_T_event_get_index("rankine_unexpected", &index));
    TOOL(MPI_T_event_handle_alloc(index, NULL, MPI_INFO_NULL, &registration));
    TOOL(MPI_T_event_register_callback(registration, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, &heard, hear));
    TOOL(MPI_T_event_set_dropped_handler(registration, drop));
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 1) {
        for (int i = 0; i < MANY; i++)
            TRY(MPI_Send(&one, 1, MPI_INT, 0, 1, MPI_COMM_WORLD));
        TRY(MPI_Ssend(&one, 1, MPI_INT, 0, 2, MPI_COMM_WORLD));
    } else {
        TRY(MPI_Recv(&one, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        for (int i = 0; i < MANY; i++)
            TRY(MPI_Recv(&one, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        // The last one and the barrier's may have come unexpected too.
        CHECK(heard + dropped >= MANY && heard + dropped <= MANY + 9);
    }
    int code = check_end();
    TOOL(MPI_T_finalize());
    return code;
}
