// A rank comes to its end inside of a function that MPI calls, while the other one waits for it: of every kind of function, by traps, an endless
// recursion, `exit`, an abort and fatal errors. The job ends with that, and nothing else.
// ranks: 2
// exit: nonzero
// each: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27
// stderr-not: bug of Rankine
// stderr-not: crashed
#include "hostile.h"
#include "../guests/grequest.h"

static int way;
static volatile int sink;

__attribute__((noinline)) static int deeper(int n)
{
    volatile char room[256];
    room[n % 256] = (char)n;
    if (n >= 0)
        sink = deeper(n + 1) + room[0];
    return sink;
}

/* The end, by the way's number: each kind of function has another one. */
static int end_here(void)
{
    switch (way % 8) {
    case 0: __builtin_trap();
    case 1: exit(77);
    case 2: MPI_Abort(MPI_COMM_WORLD, 77); break;
    case 3: return deeper(0);
    case 4: ((void (*)(int, int))(uintptr_t)0xfffffff)(1, 2); break;
    case 5: *(volatile int *)0xfffffff0u = 1; break;
    case 6: _Exit(78);
    default:
        TRY(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
        MPI_Send(NULL, 1, MPI_INT, 1000, 0, MPI_COMM_WORLD);
    }
    return MPI_ERR_OTHER;
}

static void operation(void *a, void *b, int *n, MPI_Datatype *type)
{
    (void)a, (void)b, (void)n, (void)type;
    end_here();
}

static void large_operation(void *a, void *b, MPI_Count *n, MPI_Datatype *type)
{
    (void)a, (void)b, (void)n, (void)type;
    end_here();
}

static void of_comm(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
    end_here();
}

static void of_win(MPI_Win *window, int *code, ...)
{
    (void)window, (void)code;
    end_here();
}

static void of_file(MPI_File *file, int *code, ...)
{
    (void)file, (void)code;
    end_here();
}

static void of_session(MPI_Session *session, int *code, ...)
{
    (void)session, (void)code;
    end_here();
}

static int copied(MPI_Comm comm, int key, void *state, void *in, void *out, int *flag)
{
    (void)comm, (void)key, (void)state, (void)in, (void)out, (void)flag;
    return end_here();
}

static int deleted(MPI_Comm comm, int key, void *value, void *state)
{
    (void)comm, (void)key, (void)value, (void)state;
    return end_here();
}

static int type_copied(MPI_Datatype type, int key, void *state, void *in, void *out, int *flag)
{
    (void)type, (void)key, (void)state, (void)in, (void)out, (void)flag;
    return end_here();
}

static int type_deleted(MPI_Datatype type, int key, void *value, void *state)
{
    (void)type, (void)key, (void)value, (void)state;
    return end_here();
}

static int win_deleted(MPI_Win window, int key, void *value, void *state)
{
    (void)window, (void)key, (void)value, (void)state;
    return end_here();
}

static int query(void *state, MPI_Status *status)
{
    (void)state, (void)status;
    return end_here();
}

static int freed(void *state)
{
    (void)state;
    return end_here();
}

static int cancelled(void *state, int complete)
{
    (void)state, (void)complete;
    return end_here();
}

static int in[64], out[64];
static MPI_Comm comm, made;
static MPI_Request request;
static MPI_Op op;
static int key;

static void wait_for_it(void)
{
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void in_reductions(void)
{
    MPI_Win window;
    int index;
    TRY(MPI_Op_create(operation, 1, &op));
    switch (way) {
    case 0: MPI_Allreduce(in, out, 4, MPI_INT, op, comm); break;
    case 1: MPI_Iallreduce(in, out, 4, MPI_INT, op, comm, &request); wait_for_it(); break;
    case 2:
        TRY(MPI_Allreduce_init(in, out, 4, MPI_INT, op, comm, MPI_INFO_NULL, &request));
        MPI_Start(&request);
        wait_for_it();
        break;
    case 3: MPI_Reduce_local(in, out, 4, MPI_INT, op); break;
    case 4:
        TRY(MPI_Op_create_c(large_operation, 1, &op));
        MPI_Scan_c(in, out, 4, MPI_INT, op, comm);
        break;
    case 5:
        MPI_Iallreduce(in, out, 4, MPI_INT, op, comm, &request);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Waitany(1, &request, &index, MPI_STATUS_IGNORE);
        break;
    case 6:
        TRY(MPI_Win_create(in, sizeof in, 4, MPI_INFO_NULL, comm, &window));
        MPI_Iallreduce(in, out, 4, MPI_INT, op, comm, &request);
        MPI_Win_fence(0, window);
        MPI_Win_free(&window);
        wait_for_it();
        break;
    case 7: MPI_Reduce(in, out, 4, MPI_INT, op, 0, comm); break;
    default:
        MPI_Exscan(in, out, 4, MPI_INT, op, comm);
        MPI_Reduce_scatter_block(in, out, 4, MPI_INT, op, comm);
    }
}

static void in_handlers(void)
{
    MPI_Errhandler handler;
    MPI_Win window;
    MPI_File file;
    MPI_Session session;
    MPI_Group group;
    TRY(MPI_Comm_create_errhandler(of_comm, &handler));
    TRY(MPI_Comm_set_errhandler(comm, handler));
    switch (way) {
    case 9: MPI_Isend(NULL, -1, MPI_INT, 0, 0, comm, &request); break;
    case 10:
        TRY(MPI_Irecv(in, 1, MPI_INT, !rank, 0, comm, &request));
        MPI_Send(out, 9, MPI_INT, !rank, 0, comm);
        wait_for_it();
        break;
    case 11: MPI_Comm_call_errhandler(comm, MPI_ERR_TAG); break;
    case 12:
        TRY(MPI_Win_create_errhandler(of_win, &handler));
        TRY(MPI_Win_create(in, sizeof in, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &window));
        TRY(MPI_Win_set_errhandler(window, handler));
        TRY(MPI_Win_fence(0, window));
        MPI_Put(out, 64, MPI_INT, 0, 1, 64, MPI_INT, window);
        MPI_Win_fence(0, window);
        break;
    case 13:
        TRY(MPI_File_create_errhandler(of_file, &handler));
        TRY(MPI_File_set_errhandler(MPI_FILE_NULL, handler));
        MPI_File_open(MPI_COMM_WORLD, "nowhere/x", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
        break;
    default:
        TRY(MPI_Session_create_errhandler(of_session, &handler));
        TRY(MPI_Session_init(MPI_INFO_NULL, handler, &session));
        MPI_Group_from_session_pset(session, "mpi://NOTHING", &group);
    }
}

static void in_attributes(void)
{
    MPI_Datatype type, copy;
    MPI_Win window;
    const int copies = way == 15 || way == 16;
    TRY(MPI_Comm_create_keyval(copies ? copied : MPI_COMM_NULL_COPY_FN, copies ? MPI_COMM_NULL_DELETE_FN : deleted, &key, NULL));
    TRY(MPI_Comm_set_attr(way == 19 ? MPI_COMM_SELF : comm, key, in));
    switch (way) {
    case 15: MPI_Comm_dup(comm, &made); break;
    case 16: MPI_Comm_idup(comm, &made, &request); wait_for_it(); break;
    case 17: MPI_Comm_free(&comm); break;
    case 18: MPI_Comm_set_attr(comm, key, out); break;
    case 19: MPI_Finalize(); break;
    case 20:
        TRY(MPI_Type_create_keyval(type_copied, MPI_TYPE_NULL_DELETE_FN, &key, NULL));
        TRY(MPI_Type_dup(MPI_INT, &type));
        TRY(MPI_Type_set_attr(type, key, in));
        MPI_Type_dup(type, &copy);
        break;
    case 21:
        TRY(MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, type_deleted, &key, NULL));
        TRY(MPI_Type_dup(MPI_INT, &type));
        TRY(MPI_Type_set_attr(type, key, in));
        MPI_Type_free(&type);
        break;
    default:
        TRY(MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, win_deleted, &key, NULL));
        TRY(MPI_Win_create(in, sizeof in, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &window));
        TRY(MPI_Win_set_attr(window, key, in));
        MPI_Win_free(&window);
    }
}

static void in_requests(void)
{
    MPI_Request two[2], copy;
    int flag;
    TRY(MPI_Grequest_start(way == 23 || way == 26 ? query : grequest_query, way == 24 || way == 27 ? freed : grequest_free, cancelled, NULL, &request));
    switch (way) {
    case 23:
    case 24:
        TRY(MPI_Grequest_complete(request));
        wait_for_it();
        break;
    case 25: MPI_Cancel(&request); break;
    case 26:
        TRY(MPI_Grequest_start(query, freed, cancelled, NULL, &two[1]));
        two[0] = request;
        TRY(MPI_Grequest_complete(two[0]));
        TRY(MPI_Grequest_complete(two[1]));
        MPI_Request_get_status(two[1], &flag, MPI_STATUS_IGNORE);
        MPI_Waitall(2, two, MPI_STATUSES_IGNORE);
        break;
    default:
        copy = request;
        MPI_Request_free(&request);
        MPI_Grequest_complete(copy);
    }
}

int main(int argc, char **argv)
{
    hostile_begin(&argc, &argv);
    way = atoi(argv[1]);
    TRY(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    if (way < 9)
        in_reductions();
    else if (way < 15)
        in_handlers();
    else if (way < 23)
        in_attributes();
    else
        in_requests();
    // Whoever comes here waits for who does not.
    MPI_Barrier(MPI_COMM_WORLD);
    return 0;
}
