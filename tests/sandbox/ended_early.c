// Operations and objects whose buffers, types, communicators, operations, handlers and windows end before they do, in seventeen ways: what still
// needs them goes on, or fails, and what was given up is touched by nobody.
// ranks: 2 3
#include "variations.h"
#include "../guests/grequest.h"
#include <rankine.h>

enum { LONG = 1 << 18 };
static int next, before;
static int in[LONG], out[LONG];

/* A duplicate whose errors are returned. */
static MPI_Comm copy_of_world(void)
{
    MPI_Comm comm;
    TRY(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    return comm;
}

/* Type, communicator and memory of long messages in both directions go at once. */
static void all_of_a_message(void)
{
    MPI_Request both[2];
    MPI_Datatype type;
    MPI_Comm comm = copy_of_world();
    int *from = calloc(2 * LONG, sizeof *from), *to = calloc(2 * LONG, sizeof *to);
    TRY(MPI_Type_vector(LONG, 1, 2, MPI_INT, &type));
    TRY(MPI_Type_commit(&type));
    TRY(MPI_Irecv(to, 1, type, before, 1, comm, &both[0]));
    TRY(MPI_Isend(from, 1, type, next, 1, comm, &both[1]));
    TRY(MPI_Type_free(&type));
    TRY(MPI_Comm_free(&comm));
    free(from);
    free(to);
    memset(malloc(LONG), 0x77, LONG);
    TRY(MPI_Waitall(2, both, MPI_STATUSES_IGNORE));
}

/* The same by requests that are freed while they are active, of receives that are cancelled as their messages come. */
static void given_up(void)
{
    MPI_Request receive, send;
    for (int round = 0; round < 20; round++) {
        MPI_Status status;
        int cancelled, flag;
        TRY(MPI_Irecv(in, LONG, MPI_INT, before, 2, MPI_COMM_WORLD, &receive));
        if (round % 2)
            TRY(MPI_Barrier(MPI_COMM_WORLD));
        TRY(MPI_Isend(out, LONG, MPI_INT, next, 2, MPI_COMM_WORLD, &send));
        TRY(MPI_Test(&receive, &flag, &status));
        if (!flag) {
            TRY(MPI_Cancel(&receive));
            TRY(MPI_Cancel(&receive));
            int code = MPI_SUCCESS;
            // It was cancelled, or matched by then: in that case the message must be let in.
            while (!flag && code == MPI_SUCCESS)
                code = MPI_Test(&receive, &flag, &status);
            TRY(MPI_Test_cancelled(&status, &cancelled));
            if (cancelled)
                TRY(MPI_Recv(in, LONG, MPI_INT, before, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        }
        TRY(MPI_Wait(&send, MPI_STATUS_IGNORE));
    }
}

/* Persistent messages and collectives whose parts are gone before they are started the first time. */
static void persistent(void)
{
    MPI_Request all[4];
    MPI_Datatype type;
    MPI_Comm comm = copy_of_world();
    int sum = 0, count = 0;
    TRY(MPI_Type_contiguous(2, MPI_INT, &type));
    TRY(MPI_Type_commit(&type));
    memset(in, 0, 64);
    for (int i = 0; i < 4; i++)
        out[i] = rank + i;
    TRY(MPI_Send_init(out, 1, type, next, 3, comm, &all[count++]));
    TRY(MPI_Recv_init(in, 1, type, before, 3, comm, &all[count++]));
    TRY(MPI_Bcast_init(in + 4, 1, type, 0, comm, MPI_INFO_NULL, &all[count++]));
    TRY(MPI_Allreduce_init(&rank, &sum, 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &all[count++]));
    TRY(MPI_Type_free(&type));
    TRY(MPI_Comm_free(&comm));
    for (int round = 0; round < 3; round++) {
        sum = 0;
        TRY(MPI_Startall(count, all));
        TRY(MPI_Waitall(count, all, MPI_STATUSES_IGNORE));
        CHECK_INT(in[1], before + 1);
        CHECK_INT(sum, size * (size - 1) / 2);
    }
    for (int i = 0; i < count; i++)
        TRY(MPI_Request_free(&all[i]));
}

/* The arrays of a collective of many types, and the types, go when it has begun. */
static void arrays(void)
{
    MPI_Request request;
    int *counts = malloc(size * 2 * sizeof(int)), *places = malloc(size * 2 * sizeof(int));
    MPI_Datatype *types = malloc(size * 2 * sizeof(MPI_Datatype));
    for (int i = 0; i < 2 * size; i++) {
        counts[i] = 1;
        places[i] = (i % size) * 40000;
        TRY(MPI_Type_vector(5000, 1, 2, MPI_INT, &types[i]));
        TRY(MPI_Type_commit(&types[i]));
    }
    TRY(MPI_Ialltoallw(out, counts, places, types, in, counts + size, places + size, types + size, MPI_COMM_WORLD, &request));
    for (int i = 0; i < 2 * size; i++)
        TRY(MPI_Type_free(&types[i]));
    memset(counts, 0x7f, size * 2 * sizeof(int));
    memset(places, 0x7f, size * 2 * sizeof(int));
    memset(types, 0x7f, size * 2 * sizeof(MPI_Datatype));
    free(counts);
    free(places);
    free(types);
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

static MPI_Op doomed;

static void frees_itself(void *a, void *b, int *n, MPI_Datatype *type)
{
    (void)type;
    if (doomed != MPI_OP_NULL)
        MPI_Op_free(&doomed);
    for (int i = 0; i < *n; i++)
        ((int *)b)[i] += ((int *)a)[i];
}

/* Operations that free themselves, in reductions that others wait for and in one that is started again. */
static void operations(void)
{
    MPI_Request requests[3];
    int sums[3] = {0};
    TRY(MPI_Op_create(frees_itself, 1, &doomed));
    MPI_Op copy = doomed;
    TRY(MPI_Iallreduce(&rank, &sums[0], 1, MPI_INT, copy, MPI_COMM_WORLD, &requests[0]));
    if (doomed == MPI_OP_NULL)
        TRY(MPI_Op_create(frees_itself, 1, &doomed));
    copy = doomed;
    TRY(MPI_Iscan(&rank, &sums[1], 1, MPI_INT, copy, MPI_COMM_WORLD, &requests[1]));
    TRY(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    if (doomed == MPI_OP_NULL)
        TRY(MPI_Op_create(frees_itself, 1, &doomed));
    TRY(MPI_Allreduce_init(&rank, &sums[2], 1, MPI_INT, doomed, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[2]));
    for (int i = 0; i < 3; i++) {
        TRY(MPI_Start(&requests[2]));
        TRY(MPI_Wait(&requests[2], MPI_STATUS_IGNORE));
    }
    TRY(MPI_Request_free(&requests[2]));
    CHECK_INT(sums[0], size * (size - 1) / 2);
    CHECK_INT(sums[2], size * (size - 1) / 2);
    if (doomed != MPI_OP_NULL)
        TRY(MPI_Op_free(&doomed));
}

/* Buffers for buffered sends that are taken back, given up with their communicator, or overwritten while messages are on their way. */
static void buffers(void)
{
    enum { ROOM = 1 << 16 };
    char *room = malloc(ROOM), *old;
    int bytes, got[100];
    MPI_Request request;
    TRY(MPI_Buffer_attach(room, ROOM));
    for (int i = 0; i < 10; i++)
        TRY(MPI_Ibsend(out, 100, MPI_INT, next, 5, MPI_COMM_WORLD, &request)), TRY(MPI_Request_free(&request));
    memset(room, 0xee, ROOM);
    for (int i = 0; i < 10; i++)
        TRY(MPI_Recv(got, 100, MPI_INT, before, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    TRY(MPI_Buffer_detach(&old, &bytes));
    CHECK(old == room);
    if (embedded()) // MPICH gives nothing back
        REFUSED(MPI_Buffer_detach(&old, &bytes));
    REFUSED(MPI_Bsend(out, 1, MPI_INT, next, 5, MPI_COMM_WORLD));
    // An attached buffer whose memory is something else, and one that lies in the bytes of a message.
    TRY(MPI_Buffer_attach(in, ROOM));
    TRY(MPI_Irecv(in, LONG, MPI_INT, before, 6, MPI_COMM_WORLD, &request));
    TRY(MPI_Bsend(out, 1000, MPI_INT, next, 6, MPI_COMM_WORLD));
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
    TRY(MPI_Buffer_detach(&old, &bytes));
    free(room);
}

/* Halves of a partitioned message, freed in every state that a request can be in. */
static void partitions(void)
{
    MPI_Request send, receive;
    int flag;
    for (int way = 0; way < 3; way++) {
        MPI_Comm comm = copy_of_world();
        MPI_Datatype type;
        TRY(MPI_Type_contiguous(3, MPI_INT, &type));
        TRY(MPI_Type_commit(&type));
        TRY(MPI_Psend_init(out, 8, 5, type, next, 7, comm, MPI_INFO_NULL, &send));
        TRY(MPI_Precv_init(in, 4, 10, type, before, 7, comm, MPI_INFO_NULL, &receive));
        TRY(MPI_Type_free(&type));
        TRY(MPI_Comm_free(&comm));
        if (way > 0)
            for (int round = 0; round < way; round++) {
                TRY(MPI_Start(&receive));
                TRY(MPI_Start(&send));
                TRY(MPI_Pready_range(0, 7, send));
                TRY(MPI_Wait(&send, MPI_STATUS_IGNORE));
                TRY(MPI_Wait(&receive, MPI_STATUS_IGNORE));
            }
        MPI_Request stale[2] = {send, receive};
        TRY(MPI_Request_free(&send));
        TRY(MPI_Request_free(&receive));
        REFUSED(MPI_Pready(0, stale[0]));
        REFUSED(MPI_Parrived(stale[1], 0, &flag));
        REFUSED(MPI_Startall(2, stale));
        REFUSED(MPI_Wait(&stale[1], MPI_STATUS_IGNORE));
        REFUSED(MPI_Cancel(&stale[0]));
    }
}

static MPI_Request others[4];

static int frees_others(void *state)
{
    (void)state;
    for (int i = 1; i < 4; i++)
        if (others[i] != MPI_REQUEST_NULL) {
            MPI_Request one = others[i];
            others[i] = MPI_REQUEST_NULL;
            MPI_Grequest_complete(one);
            MPI_Request_free(&one);
        }
    return MPI_SUCCESS;
}

/* Generalised requests that end one another while a call goes through a list of them. */
static void generalised(void)
{
    MPI_Request list[4];
    for (int i = 0; i < 4; i++)
        TRY(MPI_Grequest_start(grequest_query, i ? grequest_free : frees_others, grequest_cancel, NULL, &others[i]));
    memcpy(list, others, sizeof list);
    TRY(MPI_Grequest_complete(others[0]));
    // The first is done; what its function does to the others is refused while they are listed, or they are done too.
    int index, code = MPI_Waitany(4, list, &index, MPI_STATUS_IGNORE);
    CHECK(code == MPI_SUCCESS || code != MPI_SUCCESS);
    for (int i = 1; i < 4; i++) {
        if (others[i] != MPI_REQUEST_NULL) {
            MPI_Grequest_complete(others[i]);
            MPI_Wait(&others[i], MPI_STATUS_IGNORE);
        }
    }
}

static MPI_Comm of_handler;
static MPI_Errhandler own_handler;
static int handled;

static void frees_all(MPI_Comm *comm, int *code, ...)
{
    (void)code;
    handled++;
    if (own_handler != MPI_ERRHANDLER_NULL)
        TRY(MPI_Errhandler_free(&own_handler));
    if (of_handler != MPI_COMM_NULL) {
        MPI_Comm_set_errhandler(*comm, MPI_ERRORS_RETURN);
        TRY(MPI_Comm_free(&of_handler));
    }
}

/* A handler that frees itself and the communicator whose error it was called for, from calls of every kind. */
static void handlers(void)
{
    for (int way = 0; way < 4; way++) {
        MPI_Request request = MPI_REQUEST_NULL;
        TRY(MPI_Comm_dup(MPI_COMM_WORLD, &of_handler));
        TRY(MPI_Comm_create_errhandler(frees_all, &own_handler));
        TRY(MPI_Comm_set_errhandler(of_handler, own_handler));
        MPI_Comm comm = of_handler;
        handled = 0;
        switch (way) {
        case 0: MPI_Send(out, 1, MPI_INT, 1000, 0, comm); break;
        case 1: MPI_Bcast(out, 1, MPI_INT, 1000, comm); break;
        case 2: MPI_Comm_call_errhandler(comm, MPI_ERR_OTHER); break;
        default: MPI_Irecv(out, -1, MPI_INT, 0, 0, comm, &request); break;
        }
        CHECK_INT(handled, 1);
        CHECK(of_handler == MPI_COMM_NULL && own_handler == MPI_ERRHANDLER_NULL);
        FAILS(MPI_Comm_size(comm, &handled), MPI_ERR_COMM);
    }
}

/* A message that was found, whose communicator goes before it is received, and one that nobody receives. */
static void found(void)
{
    MPI_Comm comm = copy_of_world();
    MPI_Message message, left;
    int got = -1;
    TRY(MPI_Send(&rank, 1, MPI_INT, next, 8, comm));
    TRY(MPI_Send(&rank, 1, MPI_INT, next, 9, comm));
    TRY(MPI_Mprobe(before, 8, comm, &message, MPI_STATUS_IGNORE));
    TRY(MPI_Mprobe(before, 9, comm, &left, MPI_STATUS_IGNORE));
    TRY(MPI_Comm_free(&comm));
    MPI_Message again = message;
    TRY(MPI_Mrecv(&got, 1, MPI_INT, &message, MPI_STATUS_IGNORE));
    CHECK_INT(got, before);
    REFUSED(MPI_Mrecv(&got, 1, MPI_INT, &again, MPI_STATUS_IGNORE));
    TRY(MPI_Mrecv(&got, 1, MPI_INT, &left, MPI_STATUS_IGNORE));
}

/* Memory that MPI gave, taken back under a receive, a window and an attached buffer. What an allocator notes in blocks that it has
   back lies at their ends, and stays as it is. */
static void given_memory(void)
{
    enum { NOTES = 64, INNER = LONG - 2 * NOTES };
    MPI_Request request;
    int *memory, got;
    char *old;
    MPI_Win window;
    TRY(MPI_Alloc_mem(LONG * sizeof(int), MPI_INFO_NULL, &memory));
    TRY(MPI_Irecv(memory + NOTES, INNER, MPI_INT, before, 10, MPI_COMM_WORLD, &request));
    TRY(MPI_Free_mem(memory));
    TRY(MPI_Send(out, INNER, MPI_INT, next, 10, MPI_COMM_WORLD));
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
    TRY(MPI_Alloc_mem(1 << 16, MPI_INFO_NULL, &memory));
    TRY(MPI_Win_create(memory, 1 << 16, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &window));
    TRY(MPI_Free_mem(memory));
    TRY(MPI_Win_fence(0, window));
    TRY(MPI_Put(out, 1000, MPI_INT, next, NOTES, 1000, MPI_INT, window));
    TRY(MPI_Win_fence(0, window));
    TRY(MPI_Win_free(&window));
    TRY(MPI_Alloc_mem(1 << 16, MPI_INFO_NULL, &memory));
    TRY(MPI_Buffer_attach(memory, 1 << 16));
    TRY(MPI_Bsend(&rank, 1, MPI_INT, next, 11, MPI_COMM_WORLD));
    TRY(MPI_Free_mem(memory));
    TRY(MPI_Recv(&got, 1, MPI_INT, before, 11, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    TRY(MPI_Buffer_detach(&old, &got));
}

/* Accesses to windows whose types are freed, and memory that is detached, before they are over. */
static void windows(void)
{
    MPI_Win window, dynamic;
    MPI_Datatype type;
    MPI_Request request;
    MPI_Aint at, theirs;
    TRY(MPI_Win_create(in, sizeof in, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &window));
    TRY(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &dynamic));
    TRY(MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN));
    TRY(MPI_Win_set_errhandler(dynamic, MPI_ERRORS_RETURN));
    TRY(MPI_Type_vector(1000, 1, 2, MPI_INT, &type));
    TRY(MPI_Type_commit(&type));
    TRY(MPI_Win_lock_all(0, window));
    TRY(MPI_Rput(out, 1, type, next, 0, 1, type, window, &request));
    TRY(MPI_Type_free(&type));
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
    TRY(MPI_Win_unlock_all(window));
    char *block = malloc(1 << 16);
    TRY(MPI_Win_attach(dynamic, block, 1 << 16));
    TRY(MPI_Get_address(block, &at));
    TRY(MPI_Sendrecv(&at, 1, MPI_AINT, before, 12, &theirs, 1, MPI_AINT, next, 12, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    TRY(MPI_Win_lock_all(0, dynamic));
    TRY(MPI_Put(out, 1000, MPI_INT, next, theirs, 1000, MPI_INT, dynamic));
    TRY(MPI_Win_flush_all(dynamic));
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    TRY(MPI_Win_detach(dynamic, block));
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    REFUSED(MPI_Put(out, 1000, MPI_INT, next, theirs, 1000, MPI_INT, dynamic));
    REFUSED(MPI_Win_detach(dynamic, block));
    TRY(MPI_Win_unlock_all(dynamic));
    free(block);
    TRY(MPI_Win_free(&dynamic));
    TRY(MPI_Win_free(&window));
}

static int said;

static int starts_more(MPI_Comm comm, int key, void *value, void *state)
{
    MPI_Request request;
    int got, flag;
    (void)key, (void)value, (void)state;
    TRY(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    TRY(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &flag, MPI_STATUS_IGNORE));
    if (!embedded()) {
        // A library frees the communicator next, whatever refers to it.
        FAILS(MPI_Irecv(&got, 1, MPI_INT, rank, 13, comm, &request), MPI_ERR_COMM);
        FAILS(MPI_Send_init(&got, 1, MPI_INT, rank, 13, comm, &request), MPI_ERR_COMM);
        FAILS(MPI_Bsend(&rank, 1, MPI_INT, rank, 13, comm), MPI_ERR_COMM);
        FAILS(MPI_Bsend_c(&rank, 1, MPI_INT, rank, 13, comm), MPI_ERR_COMM);
        memset(&request, 1, sizeof request);
        FAILS(Rankine_Isend(&got, 0, 0, rank, 13, comm, &request), MPI_ERR_COMM);
        CHECK(request == MPI_REQUEST_NULL);
        memset(&request, 1, sizeof request);
        FAILS(Rankine_Irecv(&got, 0, 0, rank, 13, comm, &request), MPI_ERR_COMM);
        CHECK(request == MPI_REQUEST_NULL);
        said++;
        return MPI_SUCCESS;
    }
    TRY(MPI_Irecv(&got, 1, MPI_INT, rank, 13, comm, &request));
    TRY(MPI_Send(&rank, 1, MPI_INT, rank, 13, comm));
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
    // And what is never completed.
    TRY(MPI_Irecv(&in[7], 1, MPI_INT, rank, 14, comm, &request));
    TRY(MPI_Request_free(&request));
    said++;
    return MPI_SUCCESS;
}

/* A duplicate with an attribute whose function speaks when it ends. */
static MPI_Comm speaking(void)
{
    MPI_Comm comm = copy_of_world();
    int key;
    said = 0;
    TRY(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, starts_more, &key, NULL));
    TRY(MPI_Comm_set_attr(comm, key, NULL));
    TRY(MPI_Comm_free_keyval(&key));
    return comm;
}

/* A communicator that is being freed carries messages from the function of its attribute, and a receive that nobody ends. */
static void last_words(void)
{
    MPI_Comm comm = speaking();
    TRY(MPI_Comm_free(&comm));
    CHECK_INT(said, 1);
}

static int frees_another(MPI_Comm comm, int key, void *value, void *state)
{
    (void)comm, (void)key, (void)state;
    TRY(MPI_Comm_free(value));
    return MPI_SUCCESS;
}

/* The same when it is freed while an attribute of another is deleted, which itself does not end. */
static void words_in_between(void)
{
    MPI_Comm comm = speaking(), other = copy_of_world();
    int key;
    TRY(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, frees_another, &key, NULL));
    TRY(MPI_Comm_set_attr(other, key, &comm));
    TRY(MPI_Comm_delete_attr(other, key));
    TRY(MPI_Comm_free_keyval(&key));
    CHECK_INT(said, 1);
    CHECK(comm == MPI_COMM_NULL);
    TRY(MPI_Comm_free(&other));
}

/* A session ends before its groups and communicators, a group before the communicator that is made of it. */
static void sessions(void)
{
    MPI_Session session;
    MPI_Group group, copy;
    MPI_Comm comm;
    int sum = 0, members;
    TRY(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));
    TRY(MPI_Group_from_session_pset(session, "mpi://WORLD", &group));
    TRY(MPI_Comm_create_from_group(group, "ended", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
    TRY(MPI_Comm_group(comm, &copy));
    TRY(MPI_Group_free(&group));
    REFUSED(MPI_Group_size(group, &members));
    TRY(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm));
    CHECK_INT(sum, size * (size - 1) / 2);
    TRY(MPI_Comm_free(&comm));
    TRY(MPI_Group_free(&copy));
    TRY(MPI_Session_finalize(&session));
}

/* Communicators in the making that are given up, and their parents too. */
static void in_the_making(void)
{
    MPI_Comm parent = copy_of_world(), made = MPI_COMM_NULL, second = MPI_COMM_NULL;
    MPI_Request requests[2];
    TRY(MPI_Comm_idup(parent, &made, &requests[0]));
    TRY(MPI_Comm_idup_with_info(parent, MPI_INFO_NULL, &second, &requests[1]));
    TRY(MPI_Comm_free(&parent));
    TRY(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    TRY(MPI_Barrier(made));
    TRY(MPI_Comm_free(&made));
    TRY(MPI_Barrier(second));
    TRY(MPI_Comm_free(&second));
}

/* Objects that something else still uses, freed and used by their old words. */
static void stale(void)
{
    MPI_Datatype inner, outer;
    MPI_Info info;
    MPI_Aint low, extent;
    int flag;
    TRY(MPI_Type_vector(3, 1, 2, MPI_INT, &inner));
    TRY(MPI_Type_create_resized(inner, -8, 64, &outer));
    TRY(MPI_Type_commit(&outer));
    MPI_Datatype word = inner;
    TRY(MPI_Type_free(&inner));
    FAILS(MPI_Type_get_extent(word, &low, &extent), MPI_ERR_TYPE);
    FAILS(MPI_Send(out + 8, 1, word, rank, 0, MPI_COMM_WORLD), MPI_ERR_TYPE);
    TRY(MPI_Sendrecv(out + 8, 2, outer, next, 15, in + 8, 2, outer, before, 15, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    TRY(MPI_Type_free(&outer));
    TRY(MPI_Info_create(&info));
    TRY(MPI_Info_set(info, "key", "value"));
    MPI_Info old = info;
    TRY(MPI_Info_free(&info));
    FAILS(MPI_Info_get(old, "key", 1, (char *)in, &flag), MPI_ERR_INFO);
    FAILS(MPI_Comm_set_info(MPI_COMM_SELF, old), MPI_ERR_INFO);
}

int main(int argc, char **argv)
{
    static const struct variation all[] = {
        {"all of a message", all_of_a_message}, {"given up", given_up}, {"persistent", persistent}, {"arrays", arrays},
        {"operations", operations}, {"buffers", buffers}, {"partitions", partitions}, {"generalised", generalised},
        {"handlers", handlers}, {"found", found}, {"given memory", given_memory}, {"windows", windows},
        {"last words", last_words}, {"words in between", words_in_between}, {"sessions", sessions}, {"in the making", in_the_making}, {"stale", stale},
    };
    hostile_begin(&argc, &argv);
    next = (rank + 1) % size;
    before = (rank + size - 1) % size;
    return VARIATIONS(all);
}
