// Every kind of function that MPI calls goes far down its stack, waits there in a call, and has MPI call one more that looks for the stack's end:
// handlers of four kinds of objects, functions of attributes of three, of a generalised request, operations. A trap of the guest's each time.
// ranks: 1 2
// exit: 134
// each: 0 1 2 3 4 5 6 7 8 9 10 11 12 13
// stderr: the call stack is exhausted
// stderr-not: panicked
// stderr-not: crashed
#define LEVELS 16000
#include "deep.h"
#include <stdlib.h>

static MPI_Op op;
static MPI_Comm comm;
static MPI_Request request;
static int cells[4], out[4], in[4];

static void endless(void *a, void *b, int *n, MPI_Datatype *type)
{
    (void)a, (void)b, (void)n, (void)type;
    forever(0);
}

/* At the bottom: a call that may wait, and a function within it that never ends. */
static void wait_there(void)
{
    int got = 0, value = 7;
    MPI_Sendrecv(&value, 1, MPI_INT, 0, 0, &got, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    MPI_Reduce_local(in, out, 4, MPI_INT, op);
    // Where a function of MPI's may not be called, the stack ends all the same.
    forever(0);
}

static int go_down(void)
{
    deep(LEVELS, wait_there);
    return MPI_SUCCESS;
}

static void of_comm(MPI_Comm *of, int *code, ...)
{
    (void)of, (void)code;
    go_down();
}

static void of_win(MPI_Win *of, int *code, ...)
{
    (void)of, (void)code;
    go_down();
}

static void of_file(MPI_File *of, int *code, ...)
{
    (void)of, (void)code;
    go_down();
}

static void of_session(MPI_Session *of, int *code, ...)
{
    (void)of, (void)code;
    go_down();
}

static int comm_copied(MPI_Comm of, int key, void *state, void *from, void *to, int *flag)
{
    (void)of, (void)key, (void)state, (void)from, (void)to, (void)flag;
    return go_down();
}

static int comm_deleted(MPI_Comm of, int key, void *value, void *state)
{
    (void)of, (void)key, (void)value, (void)state;
    return go_down();
}

static int type_copied(MPI_Datatype of, int key, void *state, void *from, void *to, int *flag)
{
    (void)of, (void)key, (void)state, (void)from, (void)to, (void)flag;
    return go_down();
}

static int type_deleted(MPI_Datatype of, int key, void *value, void *state)
{
    (void)of, (void)key, (void)value, (void)state;
    return go_down();
}

static int win_deleted(MPI_Win of, int key, void *value, void *state)
{
    (void)of, (void)key, (void)value, (void)state;
    return go_down();
}

static int query(void *state, MPI_Status *status)
{
    MPI_Status_set_elements(status, MPI_INT, 0);
    MPI_Status_set_cancelled(status, 0);
    return state == (void *)cells ? go_down() : MPI_SUCCESS;
}

static int freed(void *state)
{
    return state == (void *)in ? go_down() : MPI_SUCCESS;
}

static int cancelled(void *state, int complete)
{
    (void)state, (void)complete;
    return go_down();
}

static void operation(void *a, void *b, int *n, MPI_Datatype *type)
{
    (void)a, (void)b, (void)n, (void)type;
    go_down();
}

static void of_handlers(int way)
{
    MPI_Errhandler handler;
    MPI_Win window;
    MPI_File file;
    MPI_Session session;
    switch (way) {
    case 0:
        MPI_Comm_create_errhandler(of_comm, &handler);
        MPI_Comm_set_errhandler(comm, handler);
        MPI_Comm_call_errhandler(comm, MPI_ERR_TAG);
        break;
    case 1:
        MPI_Win_create(cells, sizeof cells, 4, MPI_INFO_NULL, comm, &window);
        MPI_Win_create_errhandler(of_win, &handler);
        MPI_Win_set_errhandler(window, handler);
        MPI_Put(out, 1, MPI_INT, 1000, 0, 1, MPI_INT, window);
        break;
    case 2:
        MPI_File_create_errhandler(of_file, &handler);
        MPI_File_set_errhandler(MPI_FILE_NULL, handler);
        MPI_File_open(MPI_COMM_SELF, "/nowhere/at/all", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
        break;
    default:
        MPI_Session_create_errhandler(of_session, &handler);
        MPI_Session_init(MPI_INFO_NULL, handler, &session);
        MPI_Session_call_errhandler(session, MPI_ERR_ARG);
    }
}

static void of_attributes(int way)
{
    int key;
    MPI_Comm other;
    MPI_Datatype type, copy;
    MPI_Win window;
    MPI_Type_contiguous(2, MPI_INT, &type);
    switch (way) {
    case 4:
    case 5:
        MPI_Comm_create_keyval(way == 4 ? comm_copied : MPI_COMM_NULL_COPY_FN, comm_deleted, &key, NULL);
        MPI_Comm_set_attr(comm, key, cells);
        way == 4 ? MPI_Comm_dup(comm, &other) : MPI_Comm_free(&comm);
        break;
    case 6:
    case 7:
        MPI_Type_create_keyval(way == 6 ? type_copied : MPI_TYPE_NULL_COPY_FN, type_deleted, &key, NULL);
        MPI_Type_set_attr(type, key, cells);
        way == 6 ? MPI_Type_dup(type, &copy) : MPI_Type_free(&type);
        break;
    default:
        MPI_Win_create(cells, sizeof cells, 4, MPI_INFO_NULL, comm, &window);
        MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, win_deleted, &key, NULL);
        MPI_Win_set_attr(window, key, cells);
        MPI_Win_free(&window);
    }
}

static void of_requests(int way)
{
    MPI_Grequest_start(query, freed, cancelled, way == 9 ? cells : way == 10 ? in : out, &request);
    if (way == 11)
        MPI_Cancel(&request);
    MPI_Grequest_complete(request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    MPI_Op slow;
    MPI_Init(&argc, &argv);
    const int way = atoi(argv[argc - 1]);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Op_create(endless, 1, &op);
    MPI_Op_create(operation, 1, &slow);
    if (way < 4)
        of_handlers(way);
    else if (way < 9)
        of_attributes(way);
    else if (way < 12)
        of_requests(way);
    else if (way == 12)
        MPI_Reduce_local(in, out, 4, MPI_INT, slow);
    else {
        MPI_Iallreduce(in, out, 4, MPI_INT, slow, comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        // Alone there is nothing to reduce.
        MPI_Reduce_local(in, out, 4, MPI_INT, slow);
    }
    MPI_Finalize();
    return 0;
}
