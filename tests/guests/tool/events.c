// Callbacks hear of messages, copies, windows and files: of each once, with its elements and a time. A callback may use MPI.
// engines: local
// ranks: 1
// native: no (its events are the embedded engine's)
// run: --dir {scratch}::/tmp
#include "../check.h"
#include "../own_number.h"

#define TOOL(call) CHECK_INT(call, MPI_SUCCESS)

enum { LONG = 100000, KINDS = 6 };

static const char *const names[KINDS] = {"rankine_sent",   "rankine_matched",  "rankine_unexpected",
                                         "rankine_copied", "rankine_accessed", "rankine_file_accessed"};
static MPI_T_event_registration registrations[KINDS];
static int heard[KINDS], freed, inside;
static MPI_Count last;
static long long elements[KINDS][4];
static char bytes[LONG];

static void hear(MPI_T_event_instance event, MPI_T_event_registration registration, MPI_T_cb_safety safety, void *data)
{
    int kind = (int)(long)data, source = -1, size = 0, found = 0;
    MPI_Count at = -1;
    CHECK(registration == registrations[kind]);
    CHECK_INT(safety, MPI_T_CB_REQUIRE_NONE);
    CHECK_INT(inside, 0);
    inside = 1;
    TOOL(MPI_T_event_get_timestamp(event, &at));
    TOOL(MPI_T_event_get_source(event, &source));
    CHECK_INT(source, 0);
    CHECK(at > 0);
    last = at;
    TOOL(MPI_T_event_get_info(kind, NULL, NULL, NULL, NULL, NULL, &found, NULL, NULL, NULL, NULL, NULL));
    TOOL(MPI_T_event_copy(event, elements[kind]));
    long long first = -1;
    TOOL(MPI_T_event_read(event, 0, &first));
    CHECK(first == elements[kind][0]);
    CHECK_INT(MPI_T_event_read(event, 9, &first), MPI_T_ERR_INVALID_INDEX);
    // A callback may call MPI, which calls none meanwhile, but not end it.
    TRY(MPI_Comm_size(MPI_COMM_WORLD, &size));
    CHECK_INT(size, 1);
    CHECK(MPI_T_finalize() != MPI_SUCCESS);
    heard[kind]++;
    inside = 0;
}

static void forget(MPI_T_event_registration registration, MPI_T_cb_safety safety, void *data)
{
    (void)registration, (void)safety;
    CHECK((int *)data == &freed);
    freed++;
}

int main(int argc, char **argv)
{
    int provided;
    TOOL(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    check_begin(&argc, &argv);
    for (int kind = 0; kind < KINDS; kind++) {
        int index = -1, count = 4;
        MPI_Aint displacements[4];
        char name[64];
        int length = sizeof name;
        MPI_Datatype types[4];
        TOOL(MPI_T_event_get_index(names[kind], &index));
        CHECK_INT(index, kind);
        TOOL(MPI_T_event_get_info(index, name, &length, NULL, types, displacements, &count, NULL, NULL, NULL, NULL, NULL));
        CHECK_STR(name, names[kind]);
        CHECK(count >= 2 && count <= 4);
        CHECK(types[1] == MPI_LONG_LONG && displacements[1] == 8);
        TOOL(MPI_T_event_handle_alloc(index, NULL, MPI_INFO_NULL, &registrations[kind]));
        TOOL(MPI_T_event_register_callback(registrations[kind], MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, (void *)(long)kind,
                                           hear));
        MPI_Info info;
        TOOL(MPI_T_event_handle_set_info(registrations[kind], MPI_INFO_NULL));
        TOOL(MPI_T_event_handle_get_info(registrations[kind], &info));
        TRY(MPI_Info_free(&info));
        TOOL(MPI_T_event_callback_set_info(registrations[kind], MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL));
        TOOL(MPI_T_event_callback_get_info(registrations[kind], MPI_T_CB_REQUIRE_NONE, &info));
        TRY(MPI_Info_free(&info));
    }
    CHECK_INT(MPI_T_event_register_callback(registrations[0], (MPI_T_cb_safety)7, MPI_INFO_NULL, NULL, hear),
              MPI_T_ERR_INVALID);

    int turn = -1;
    MPI_Request request;
    TRY(MPI_Send(bytes, 3, MPI_CHAR, rank, 7, MPI_COMM_WORLD));
    TRY(MPI_Probe(rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    TRY(MPI_Recv(bytes, 3, MPI_CHAR, rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    TRY(MPI_Irecv(bytes, LONG, MPI_CHAR, rank, 8, MPI_COMM_WORLD, &request));
    static char more[LONG];
    TRY(MPI_Send(more, LONG, MPI_CHAR, rank, 8, MPI_COMM_WORLD));
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
    TRY(MPI_Comm_rank(MPI_COMM_WORLD, &turn));
    CHECK_INT(heard[0], 1);
    CHECK(elements[0][0] == rank && elements[0][1] == 3);
    CHECK_INT(heard[1] + heard[2], 2);
    CHECK(elements[2][0] == rank && elements[2][1] == 7 && elements[2][2] == 3);
    CHECK(elements[1][0] == rank && elements[1][1] == 8 && elements[1][2] == LONG);
    CHECK_INT(heard[3], 1);
    CHECK(elements[3][0] == rank && elements[3][1] == rank && elements[3][2] == rank && elements[3][3] == LONG);

    // A window of its own, and a file.
    MPI_Win win;
    int target = 0, one = 1;
    TRY(MPI_Win_create(&target, sizeof target, 1, MPI_INFO_NULL, MPI_COMM_SELF, &win));
    TRY(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win));
    TRY(MPI_Put(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, win));
    TRY(MPI_Win_unlock(0, win));
    TRY(MPI_Win_free(&win));
    CHECK_INT(heard[4], 1);
    CHECK(elements[4][0] == rank && elements[4][1] == rank && elements[4][2] == sizeof one);
    MPI_File file;
    char path[64];
    snprintf(path, sizeof path, "/tmp/rankine-events-%d", own_number());
    TRY(MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file));
    TRY(MPI_File_write_at(file, 0, bytes, 11, MPI_CHAR, MPI_STATUS_IGNORE));
    TRY(MPI_File_close(&file));
    CHECK_INT(heard[5], 1);
    CHECK(elements[5][0] == 1 && elements[5][1] == 11);

    // Times of the same clock; no callback comes once the registration is freed.
    MPI_Count now;
    TOOL(MPI_T_source_get_timestamp(0, &now));
    CHECK(last <= now);
    for (int kind = 0; kind < KINDS; kind++)
        TOOL(MPI_T_event_handle_free(registrations[kind], &freed, forget));
    CHECK_INT(freed, KINDS);
    int before = heard[0];
    TRY(MPI_Send(bytes, 3, MPI_CHAR, rank, 7, MPI_COMM_WORLD));
    TRY(MPI_Recv(bytes, 3, MPI_CHAR, rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CHECK_INT(heard[0], before);
    CHECK_INT(MPI_T_event_handle_free(registrations[0], NULL, NULL), MPI_T_ERR_INVALID_HANDLE);
    int code = check_end();
    TOOL(MPI_T_finalize());
    return code;
}
