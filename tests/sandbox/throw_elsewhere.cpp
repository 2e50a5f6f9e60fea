// An exception that leaves any other function that MPI calls: handlers of windows, files and sessions, functions of attributes of types and windows,
// of a request that is freed or cancelled, operations in the midst of waiting, the last functions of all. A trap that names the call, each time.
// ranks: 1 2
// exit: 134
// each: 0 1 2 3 4 5 6 7 8 9 10 11
// stderr: an exception left a callback of MPI (MPI_
// stderr-not: deadlock
// stderr-not: panicked
#include <cstdlib>
#include <mpi.h>

struct Thrown {
    long words[8];
};

static int cells[4], from[4] = {1, 2, 3, 4}, to[4];

static int leave()
{
    throw Thrown();
}

static void of_comm(MPI_Comm *, int *, ...)
{
    leave();
}

static void of_win(MPI_Win *, int *, ...)
{
    leave();
}

static void of_file(MPI_File *, int *, ...)
{
    leave();
}

static void of_session(MPI_Session *, int *, ...)
{
    leave();
}

static int type_copied(MPI_Datatype, int, void *, void *, void *, int *)
{
    return leave();
}

static int type_deleted(MPI_Datatype, int, void *, void *)
{
    return leave();
}

static int comm_deleted(MPI_Comm, int, void *, void *)
{
    return leave();
}

static int win_deleted(MPI_Win, int, void *, void *)
{
    return leave();
}

/* Fails in a function of an attribute: its handler is what throws. */
static int copied_and_failed(MPI_Comm, int, void *, void *, void *, int *flag)
{
    *flag = 0;
    return MPI_Send(from, -1, MPI_INT, 0, 0, MPI_COMM_SELF);
}

static int query(void *, MPI_Status *status)
{
    MPI_Status_set_elements(status, MPI_INT, 0);
    MPI_Status_set_cancelled(status, 0);
    return MPI_SUCCESS;
}

static int freed(void *state)
{
    return state == cells ? leave() : MPI_SUCCESS;
}

static int cancelled(void *, int)
{
    return leave();
}

static void operation(void *, void *, int *, MPI_Datatype *)
{
    leave();
}

static void large_operation(void *, void *, MPI_Count *, MPI_Datatype *)
{
    leave();
}

static void handlers(int way)
{
    MPI_Errhandler handler;
    MPI_Win window;
    MPI_File file;
    MPI_Session session;
    if (way == 0) {
        MPI_Win_create(cells, sizeof cells, 4, MPI_INFO_NULL, MPI_COMM_SELF, &window);
        MPI_Win_create_errhandler(of_win, &handler);
        MPI_Win_set_errhandler(window, handler);
        MPI_Get(to, 1, MPI_INT, 7, 0, 1, MPI_INT, window);
    } else if (way == 1) {
        MPI_File_create_errhandler(of_file, &handler);
        MPI_File_set_errhandler(MPI_FILE_NULL, handler);
        MPI_File_open(MPI_COMM_SELF, "/nowhere", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
    } else {
        MPI_Session_create_errhandler(of_session, &handler);
        MPI_Session_init(MPI_INFO_NULL, handler, &session);
        MPI_Session_call_errhandler(session, MPI_ERR_ARG);
    }
}

static void attributes(int way)
{
    int key;
    MPI_Datatype type, copy;
    MPI_Win window;
    MPI_Comm comm, made;
    MPI_Errhandler handler;
    if (way == 3 || way == 4) {
        MPI_Type_contiguous(2, MPI_INT, &type);
        MPI_Type_create_keyval(type_copied, type_deleted, &key, nullptr);
        MPI_Type_set_attr(type, key, cells);
        way == 3 ? MPI_Type_dup(type, &copy) : MPI_Type_delete_attr(type, key);
    } else if (way == 5) {
        MPI_Win_create(cells, sizeof cells, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
        MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, win_deleted, &key, nullptr);
        MPI_Win_set_attr(window, key, cells);
        MPI_Win_free(&window);
    } else if (way == 6) {
        // What ends with MPI itself.
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, comm_deleted, &key, nullptr);
        MPI_Comm_set_attr(MPI_COMM_SELF, key, cells);
        MPI_Finalize();
    } else {
        MPI_Comm_create_errhandler(of_comm, &handler);
        MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Comm_create_keyval(copied_and_failed, MPI_COMM_NULL_DELETE_FN, &key, nullptr);
        MPI_Comm_set_attr(comm, key, cells);
        MPI_Comm_dup(comm, &made);
    }
}

static void requests(int way)
{
    MPI_Request request;
    MPI_Op op;
    int flag = 0;
    if (way == 8) {
        MPI_Grequest_start(query, freed, cancelled, cells, &request);
        MPI_Grequest_complete(request);
        MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
    } else if (way == 9) {
        MPI_Grequest_start(query, freed, cancelled, nullptr, &request);
        MPI_Cancel(&request);
    } else if (way == 10) {
        MPI_Op_create_c(large_operation, 1, &op);
        MPI_Reduce_local_c(from, to, 4, MPI_INT, op);
    } else {
        // With one rank there is nothing to combine in the first.
        MPI_Op_create(operation, 0, &op);
        MPI_Iallreduce(from, to, 4, MPI_INT, op, MPI_COMM_WORLD, &request);
        while (!flag)
            MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        MPI_Reduce_local(from, to, 4, MPI_INT, op);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const int way = atoi(argv[argc - 1]);
    try {
        way < 3 ? handlers(way) : way < 8 ? attributes(way) : requests(way);
    } catch (...) {
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
}
