// What the embedded engine shows of itself: messages by the way they go, accesses of windows, what waits unexpected; settings that change
// what it does.
// engines: local
// native: no (its variables are the embedded engine's)
// ranks: 2
#include "../check.h"

/* Errors of the tools interface are no classes of error handlers. */
#define TOOL(call) CHECK_INT(call, MPI_SUCCESS)

enum { LONG = 1 << 20 };

static MPI_T_pvar_session session;
static char bytes[LONG];

static MPI_T_pvar_handle variable(const char *name, int class)
{
    MPI_T_pvar_handle handle;
    int index, count;
    TOOL(MPI_T_pvar_get_index(name, class, &index));
    TOOL(MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &count));
    CHECK_INT(count, 1);
    return handle;
}

static long long value(MPI_T_pvar_handle handle)
{
    unsigned long long read = -1;
    TOOL(MPI_T_pvar_read(session, handle, &read));
    return read;
}

static MPI_T_cvar_handle setting(const char *name)
{
    MPI_T_cvar_handle handle;
    int index, count;
    TOOL(MPI_T_cvar_get_index(name, &index));
    TOOL(MPI_T_cvar_handle_alloc(index, NULL, &handle, &count));
    CHECK_INT(count, 1);
    return handle;
}

int main(int argc, char **argv)
{
    int provided, twice;
    TOOL(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    CHECK_INT(provided, MPI_THREAD_SINGLE);
    TOOL(MPI_T_init_thread(MPI_THREAD_SINGLE, &twice));
    TOOL(MPI_T_finalize());
    check_begin(&argc, &argv);
    TOOL(MPI_T_pvar_session_create(&session));
    MPI_T_pvar_handle short_messages = variable("rankine_short_messages", MPI_T_PVAR_CLASS_COUNTER);
    MPI_T_pvar_handle short_bytes = variable("rankine_short_bytes", MPI_T_PVAR_CLASS_AGGREGATE);
    MPI_T_pvar_handle long_messages = variable("rankine_long_messages", MPI_T_PVAR_CLASS_COUNTER);
    MPI_T_pvar_handle long_bytes = variable("rankine_long_bytes", MPI_T_PVAR_CLASS_AGGREGATE);
    MPI_T_pvar_handle accesses = variable("rankine_accesses", MPI_T_PVAR_CLASS_COUNTER);
    MPI_T_pvar_handle accessed = variable("rankine_accessed_bytes", MPI_T_PVAR_CLASS_AGGREGATE);
    MPI_T_pvar_handle unexpected = variable("rankine_unexpected_messages", MPI_T_PVAR_CLASS_LEVEL);
    MPI_T_pvar_handle memory = variable("rankine_memory", MPI_T_PVAR_CLASS_LEVEL);
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    TOOL(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES));
    if (rank == 0) {
        for (int i = 0; i < 5; i++)
            TRY(MPI_Send(bytes, 10, MPI_CHAR, 1, 1, MPI_COMM_WORLD));
        for (int i = 0; i < 2; i++)
            TRY(MPI_Ssend(bytes, LONG, MPI_CHAR, 1, 2, MPI_COMM_WORLD));
        CHECK_INT(value(short_messages), 5);
        CHECK_INT(value(short_bytes), 50);
        CHECK_INT(value(long_messages), 2);
        CHECK_INT(value(long_bytes), 2 * LONG);
        // Nothing else comes until the other rank has looked.
        TRY(MPI_Recv(NULL, 0, MPI_CHAR, 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    } else {
        for (int i = 0; i < 2; i++)
            TRY(MPI_Recv(bytes, LONG, MPI_CHAR, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        // They came before.
        CHECK_INT(value(unexpected), 5);
        for (int i = 0; i < 5; i++)
            TRY(MPI_Recv(bytes, 10, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CHECK_INT(value(unexpected), 0);
        CHECK_INT(value(short_messages), 0);
        TRY(MPI_Send(NULL, 0, MPI_CHAR, 0, 9, MPI_COMM_WORLD));
    }
    CHECK(value(memory) >= (long long)__builtin_wasm_memory_size(0) * 65536);
    MPI_Win win;
    int target[4] = {0}, one = 1;
    TRY(MPI_Win_create(target, sizeof target, sizeof *target, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    TOOL(MPI_T_pvar_reset(session, accesses));
    TRY(MPI_Win_lock_all(0, win));
    for (int i = 0; i < 3; i++)
        TRY(MPI_Put(&one, 1, MPI_INT, 1 - rank, i, 1, MPI_INT, win));
    TRY(MPI_Win_unlock_all(win));
    TRY(MPI_Win_free(&win));
    CHECK_INT(value(accesses), 3);
    CHECK_INT(value(accessed), 3 * sizeof(int));
    TOOL(MPI_T_pvar_stop(session, MPI_T_PVAR_ALL_HANDLES));

    // With a limit of 0 nothing is buffered; with a large one, long messages are.
    MPI_T_cvar_handle limit = setting("rankine_buffer_limit");
    unsigned long long before = 0, all = LONG, now = 0;
    TOOL(MPI_T_cvar_read(limit, &before));
    CHECK_INT(before, 65536);
    TOOL(MPI_T_cvar_write(limit, &all));
    TOOL(MPI_T_cvar_read(limit, &now));
    CHECK_INT(now, LONG);
    // Head-on: neither would ever receive.
    TRY(MPI_Send(bytes, LONG, MPI_CHAR, 1 - rank, 3, MPI_COMM_WORLD));
    TRY(MPI_Recv(bytes, LONG, MPI_CHAR, 1 - rank, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    TOOL(MPI_T_cvar_write(limit, &before));
    // A rank that is not to spin doesn't.
    MPI_T_cvar_handle spin = setting("rankine_spin_polls");
    MPI_T_pvar_handle spins = variable("rankine_spins", MPI_T_PVAR_CLASS_COUNTER);
    int none = 0;
    TOOL(MPI_T_cvar_write(spin, &none));
    TOOL(MPI_T_pvar_start(session, spins));
    for (int i = 0; i < 100; i++)
        TRY(MPI_Barrier(MPI_COMM_WORLD));
    CHECK_INT(value(spins), 0);
    none = -1;
    CHECK_INT(MPI_T_cvar_write(spin, &none), MPI_T_ERR_INVALID);
    CHECK_INT(MPI_T_cvar_write(setting("rankine_memory_limit"), &all), MPI_T_ERR_CVAR_SET_NEVER);

    // What is beyond the eager limit is fetched by its receiver.
    MPI_T_cvar_handle eager = setting("rankine_eager_limit");
    unsigned long long nine = 9;
    CHECK_INT(MPI_T_cvar_write(eager, &all), MPI_T_ERR_INVALID);
    TOOL(MPI_T_cvar_write(eager, &nine));
    TOOL(MPI_T_pvar_reset(session, long_messages));
    TOOL(MPI_T_pvar_reset(session, short_messages));
    TOOL(MPI_T_pvar_start(session, short_messages));
    TOOL(MPI_T_pvar_start(session, long_messages));
    if (rank == 0) {
        TRY(MPI_Ssend(bytes, 10, MPI_CHAR, 1, 4, MPI_COMM_WORLD));
        TRY(MPI_Send(bytes, 9, MPI_CHAR, 1, 4, MPI_COMM_WORLD));
        CHECK_INT(value(long_messages), 1);
        CHECK_INT(value(short_messages), 1);
    } else {
        TRY(MPI_Recv(bytes, 10, MPI_CHAR, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        TRY(MPI_Recv(bytes, 10, MPI_CHAR, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    }

    // Messages arrive whole, however few bytes are copied by two hands.
    MPI_T_cvar_handle joint = setting("rankine_joint_copy");
    TOOL(MPI_T_cvar_read(joint, &before));
    TOOL(MPI_T_cvar_write(joint, &nine));
    static char copy[LONG];
    memset(bytes, 'a' + rank, LONG);
    TRY(MPI_Sendrecv(bytes, LONG, MPI_CHAR, 1 - rank, 5, copy, LONG, MPI_CHAR, 1 - rank, 5, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE));
    memset(bytes, 'a' + 1 - rank, LONG);
    CHECK_BYTES(copy, bytes, LONG);
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    TOOL(MPI_T_cvar_write(joint, &before));

    // An enumeration, the clock, and how strings are cut.
    char name[8];
    int length = sizeof name, items = 0, number = -1, index;
    MPI_T_enum on_off;
    MPI_Count ticks, earlier, later;
    TOOL(MPI_T_cvar_get_index("rankine_deadlock_check", &index));
    TOOL(MPI_T_cvar_get_info(index, name, &length, NULL, NULL, &on_off, NULL, NULL, NULL, NULL));
    CHECK_STR(name, "rankine");
    CHECK_INT(length, sizeof name);
    length = 0;
    TOOL(MPI_T_cvar_get_info(index, name, &length, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    CHECK_INT(length, sizeof "rankine_deadlock_check");
    length = sizeof name;
    TOOL(MPI_T_enum_get_info(on_off, &items, NULL, NULL));
    CHECK_INT(items, 2);
    TOOL(MPI_T_enum_get_item(on_off, 1, &number, name, &length));
    CHECK_INT(number, 1);
    CHECK_STR(name, "on");
    CHECK_INT(MPI_T_enum_get_item(on_off, 2, &number, NULL, NULL), MPI_T_ERR_INVALID_ITEM);
    TOOL(MPI_T_source_get_info(0, NULL, NULL, NULL, NULL, NULL, &ticks, NULL, NULL));
    CHECK_INT(ticks, 1000000000);
    TOOL(MPI_T_source_get_timestamp(0, &earlier));
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    TOOL(MPI_T_source_get_timestamp(0, &later));
    CHECK(later >= earlier && earlier > 0);
    TOOL(MPI_T_pvar_session_free(&session));
    int code = check_end();
    TOOL(MPI_T_finalize());
    CHECK_INT(MPI_T_finalize(), MPI_T_ERR_NOT_INITIALIZED);
    CHECK_INT(MPI_T_cvar_get_num(&number), MPI_T_ERR_NOT_INITIALIZED);
    return code;
}
