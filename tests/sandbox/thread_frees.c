// Two threads use something that a third frees, ends, changes or starts again under them, in twelve ways: what comes of it is the program's
// affair, the host goes on, and so does everybody else.
// ranks: 1 2
// engines: local
// cc: -pthread
#include "variations.h"
#include "../guests/grequest.h"
#include <pthread.h>
#include <rankine.h>
#include <stdatomic.h>
#include <unistd.h>

enum { ROUNDS = 30, ROOM = 4096 };

static int data[ROOM], place[2 * ROOM];
static atomic_int started, over;
static _Atomic(MPI_Comm) comm;
static _Atomic(MPI_Request) request;
static _Atomic(MPI_Datatype) type;
static _Atomic(MPI_Win) window;
static _Atomic(MPI_Op) op;
static _Atomic(MPI_Group) group;
static _Atomic(MPI_Info) info;
static _Atomic(MPI_Message) message;
static _Atomic(MPI_Errhandler) handler;
static _Atomic int key;

/* Runs `body` on two threads again and again while `change` is run here. */
static void against(void *(*body)(void *), void (*change)(int round))
{
    pthread_t threads[2];
    started = over = 0;
    for (int i = 0; i < 2; i++)
        CHECK_INT(pthread_create(&threads[i], NULL, body, (void *)(uintptr_t)i), 0);
    while (started < 2)
        usleep(50);
    for (int round = 0; round < ROUNDS; round++)
        change(round);
    over = 1;
    for (int i = 0; i < 2; i++)
        CHECK_INT(pthread_join(threads[i], NULL), 0);
}

#define BODY(name, ...) \
    static void *name(void *which) \
    { \
        (void)which; \
        started++; \
        while (!over) { \
            __VA_ARGS__; \
        } \
        return NULL; \
    }

static void add(void *a, void *b, int *n, MPI_Datatype *t)
{
    (void)t;
    for (int i = 0; i < *n; i++)
        ((int *)b)[i] += ((int *)a)[i];
}

static void ignore(MPI_Comm *c, int *code, ...)
{
    (void)c, (void)code;
}

static int copied(MPI_Comm c, int k, void *s, void *in, void *out, int *flag)
{
    (void)c, (void)k, (void)s;
    *(void **)out = in;
    *flag = 1;
    return MPI_SUCCESS;
}

static int deleted(MPI_Comm c, int k, void *v, void *s)
{
    (void)c, (void)k, (void)v, (void)s;
    return MPI_SUCCESS;
}

/* Types. */
BODY(with_type, MPI_Datatype t = type; MPI_Sendrecv(data, 1, t, 0, 1, place + ROOM * (int)(uintptr_t)which, 1, t, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
     MPI_Datatype d; if (MPI_Type_dup(t, &d) == 0) MPI_Type_free(&d); MPI_Aint low, extent; MPI_Type_get_extent(t, &low, &extent))
static void new_type(int round)
{
    MPI_Datatype fresh, old = type;
    TRY(MPI_Type_vector(100 + round, 1, 2, MPI_INT, &fresh));
    TRY(MPI_Type_commit(&fresh));
    type = fresh;
    if (old != MPI_DATATYPE_NULL)
        TRY(MPI_Type_free(&old));
}
static void types(void)
{
    type = MPI_DATATYPE_NULL;
    new_type(0);
    against(with_type, new_type);
}

/* Operations in the midst of their reductions. */
BODY(with_op, MPI_Reduce_local(data, place + ROOM * (int)(uintptr_t)which, ROOM, MPI_INT, op))
static void new_op(int round)
{
    MPI_Op fresh, old = op;
    (void)round;
    TRY(MPI_Op_create(add, 1, &fresh));
    op = fresh;
    if (old != MPI_OP_NULL)
        TRY(MPI_Op_free(&old));
    usleep(50);
}
static void operations(void)
{
    op = MPI_OP_NULL;
    new_op(0);
    against(with_op, new_op);
}

/* Communicators whose attributes are copied. */
BODY(with_comm, MPI_Comm made; if (MPI_Comm_dup(comm, &made) == 0) MPI_Comm_free(&made); MPI_Comm_set_attr(comm, key, data);
     MPI_Comm_delete_attr(comm, key))
static void new_comm(int round)
{
    MPI_Comm fresh, old = comm;
    int old_key = key, new_key;
    TRY(MPI_Comm_dup(MPI_COMM_SELF, &fresh));
    comm = fresh;
    if (old != MPI_COMM_NULL)
        TRY(MPI_Comm_free(&old));
    if (round % 3 == 0) {
        TRY(MPI_Comm_create_keyval(copied, deleted, &new_key, NULL));
        key = new_key;
        if (old_key != MPI_KEYVAL_INVALID)
            MPI_Comm_free_keyval(&old_key);
    }
}
static void attributes(void)
{
    comm = MPI_COMM_NULL;
    key = MPI_KEYVAL_INVALID;
    new_comm(0);
    against(with_comm, new_comm);
}

/* Persistent requests that are started and freed by others. */
BODY(with_request, MPI_Request r = request; int flag; MPI_Start(&r); MPI_Test(&r, &flag, MPI_STATUS_IGNORE);
     MPI_Request_get_status(r, &flag, MPI_STATUS_IGNORE))
static void new_request(int round)
{
    MPI_Request fresh, old = request;
    if (round % 2)
        TRY(MPI_Send_init(data, 1, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_SELF, &fresh));
    else
        TRY(MPI_Bcast_init(data, 1, MPI_INT, 0, MPI_COMM_SELF, MPI_INFO_NULL, &fresh));
    request = fresh;
    if (old != MPI_REQUEST_NULL)
        MPI_Request_free(&old);
}
static void persistent(void)
{
    request = MPI_REQUEST_NULL;
    new_request(0);
    against(with_request, new_request);
}

/* Parts marked ready by two, of a request that a third starts and frees. */
BODY(with_parts, MPI_Request r = request; int flag; MPI_Pready(rand() % 8, r); MPI_Parrived(r, rand() % 8, &flag); usleep(20))
static void new_parts(int round)
{
    MPI_Request send, receive, old;
    TRY(MPI_Psend_init(data, 8, 1, MPI_INT, 0, 100 + round, MPI_COMM_SELF, MPI_INFO_NULL, &send));
    TRY(MPI_Precv_init(place, 8, 1, MPI_INT, 0, 100 + round, MPI_COMM_SELF, MPI_INFO_NULL, &receive));
    TRY(MPI_Start(&send));
    TRY(MPI_Start(&receive));
    request = round % 2 ? send : receive;
    for (int i = 0; i < 8; i++)
        MPI_Pready(i, send);
    old = send;
    TRY(MPI_Wait(&old, MPI_STATUS_IGNORE));
    old = receive;
    TRY(MPI_Wait(&old, MPI_STATUS_IGNORE));
    MPI_Request_free(&send);
    MPI_Request_free(&receive);
}
static void partitions(void)
{
    request = MPI_REQUEST_NULL;
    against(with_parts, new_parts);
}

/* Windows. */
BODY(with_window, MPI_Win w = window; MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, w); MPI_Put(data, ROOM, MPI_INT, 0, 0, ROOM, MPI_INT, w); MPI_Win_flush(0, w);
     MPI_Win_unlock(0, w))
static void new_window(int round)
{
    MPI_Win fresh, old = window;
    (void)round;
    TRY(MPI_Win_create(place, sizeof place / 2, 4, MPI_INFO_NULL, MPI_COMM_SELF, &fresh));
    TRY(MPI_Win_set_errhandler(fresh, MPI_ERRORS_RETURN));
    window = fresh;
    if (old != MPI_WIN_NULL)
        MPI_Win_free(&old);
    usleep(100);
}
static void windows(void)
{
    window = MPI_WIN_NULL;
    new_window(0);
    against(with_window, new_window);
}

/* Groups, info objects, handlers. */
BODY(with_small, MPI_Group g = group, made; int n; MPI_Group_size(g, &n); if (MPI_Group_union(g, g, &made) == 0) MPI_Group_free(&made); MPI_Info i = info, d;
     MPI_Info_set(i, "key", "value"); if (MPI_Info_dup(i, &d) == 0) MPI_Info_free(&d); MPI_Info_get_nkeys(i, &n); MPI_Errhandler h = handler;
     MPI_Comm_set_errhandler(MPI_COMM_SELF, h); MPI_Send(data, -1, MPI_INT, 0, 0, MPI_COMM_SELF); MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN))
static void new_small(int round)
{
    MPI_Group fresh, old = group;
    MPI_Info fresh_info, old_info = info;
    MPI_Errhandler fresh_handler, old_handler = handler;
    (void)round;
    TRY(MPI_Comm_group(MPI_COMM_WORLD, &fresh));
    TRY(MPI_Info_create(&fresh_info));
    TRY(MPI_Comm_create_errhandler(ignore, &fresh_handler));
    group = fresh;
    info = fresh_info;
    handler = fresh_handler;
    if (old != MPI_GROUP_NULL) {
        TRY(MPI_Group_free(&old));
        TRY(MPI_Info_free(&old_info));
        TRY(MPI_Errhandler_free(&old_handler));
    }
}
static void small_ones(void)
{
    group = MPI_GROUP_NULL;
    new_small(0);
    against(with_small, new_small);
    TRY(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
}

/* One message that all three want. */
BODY(with_message, MPI_Message m = message; int flag; MPI_Mrecv(place, 4, MPI_INT, &m, MPI_STATUS_IGNORE); MPI_Improbe(0, 5, MPI_COMM_SELF, &flag, &m, MPI_STATUS_IGNORE);
     if (flag) MPI_Mrecv(place, 4, MPI_INT, &m, MPI_STATUS_IGNORE))
static void new_message(int round)
{
    MPI_Message fresh;
    int flag;
    (void)round;
    TRY(MPI_Send(data, 4, MPI_INT, 0, 5, MPI_COMM_SELF));
    TRY(MPI_Improbe(0, 5, MPI_COMM_SELF, &flag, &fresh, MPI_STATUS_IGNORE));
    if (flag) {
        message = fresh;
        usleep(20);
        MPI_Mrecv(place + 8, 4, MPI_INT, &fresh, MPI_STATUS_IGNORE);
    }
}
static void found(void)
{
    int flag;
    message = MPI_MESSAGE_NULL;
    against(with_message, new_message);
    for (;;) {
        TRY(MPI_Iprobe(0, 5, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE));
        if (!flag)
            break;
        TRY(MPI_Recv(place, 4, MPI_INT, 0, 5, MPI_COMM_SELF, MPI_STATUS_IGNORE));
    }
}

/* Graphs that are changed while they are walked. */
struct node {
    struct node *next;
    int *values;
    int n;
};
static struct node nodes[64];
static Rankine_Type node_type;
BODY(with_graph, nodes[rand() % 64].next = (struct node *)(uintptr_t)(rand() % 3 ? rand() : (int)(uintptr_t)&nodes[rand() % 64]); nodes[rand() % 64].n = rand();
     nodes[rand() % 64].values = (int *)(uintptr_t)rand(); nodes[rand() % 64].next = NULL)
static void walk(int round)
{
    struct node *first = &nodes[0], *got = NULL;
    MPI_Request r;
    (void)round;
    for (int i = 0; i < 63; i++) {
        nodes[i].next = &nodes[i + 1];
        nodes[i].values = data;
        nodes[i].n = 3;
    }
    if (Rankine_Isend(&first, 1, node_type, 0, 6, MPI_COMM_SELF, &r) == MPI_SUCCESS) {
        Rankine_Recv(&got, 1, node_type, 0, 6, MPI_COMM_SELF, MPI_STATUS_IGNORE);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
}
static void graphs(void)
{
    if (node_type == 0) {
        TRY(Rankine_Type_create("node", sizeof(struct node), 4, &node_type));
        Rankine_Field fields[] = {{RANKINE_KIND_REFERENCE, 0, node_type, 1, -1, -1, -1, 0, "next"},
                                  {RANKINE_KIND_ARRAY, 4, RANKINE_OF(MPI_INT), 0, 8, -1, -1, 0, "values"}};
        TRY(Rankine_Type_define(node_type, 2, fields));
    }
    against(with_graph, walk);
}

/* Generalised requests completed by one while two others wait, cancel and free. */
BODY(with_own, MPI_Request r = request; int flag; if (which) MPI_Cancel(&r); MPI_Test(&r, &flag, MPI_STATUS_IGNORE); MPI_Grequest_complete(r))
static void new_own(int round)
{
    MPI_Request fresh;
    (void)round;
    TRY(MPI_Grequest_start(grequest_query, grequest_free, grequest_cancel, NULL, &fresh));
    request = fresh;
    usleep(20);
    MPI_Grequest_complete(fresh);
    MPI_Wait(&fresh, MPI_STATUS_IGNORE);
}
static void own(void)
{
    request = MPI_REQUEST_NULL;
    against(with_own, new_own);
}

/* Attached buffers that come and go under buffered sends. */
BODY(with_buffer, MPI_Bsend(data, 16, MPI_INT, 0, 7, MPI_COMM_SELF); int flag; MPI_Iprobe(0, 7, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE))
static void new_buffer(int round)
{
    static char room[1 << 16];
    void *old;
    int bytes, flag = 1;
    MPI_Buffer_attach(room, (int)sizeof room - round);
    usleep(20);
    while (flag) {
        TRY(MPI_Iprobe(0, 7, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE));
        if (flag)
            TRY(MPI_Recv(place, 16, MPI_INT, 0, 7, MPI_COMM_SELF, MPI_STATUS_IGNORE));
        if (started++ % 64 == 63)
            break;
    }
    if (round % 4 == 3)
        over = 1;
    (void)old, (void)bytes;
}
static void *drain(void *unused)
{
    MPI_Request r;
    (void)unused;
    for (;;) {
        MPI_Status status;
        TRY(MPI_Irecv(place, 16, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_SELF, &r));
        TRY(MPI_Wait(&r, &status));
        if (status.MPI_TAG == 8)
            return NULL;
    }
}
static void buffers(void)
{
    pthread_t drainer;
    void *old;
    int bytes;
    against(with_buffer, new_buffer);
    CHECK_INT(pthread_create(&drainer, NULL, drain, NULL), 0);
    MPI_Buffer_detach(&old, &bytes);
    TRY(MPI_Send(data, 0, MPI_INT, 0, 8, MPI_COMM_SELF));
    CHECK_INT(pthread_join(drainer, NULL), 0);
}

/* Sessions that end while groups and communicators are made of them. */
static _Atomic(MPI_Session) session;
BODY(with_session, MPI_Session s = session; MPI_Group g; MPI_Comm c; int n;
     if (MPI_Group_from_session_pset(s, "mpi://SELF", &g) == 0) {
         if (MPI_Comm_create_from_group(g, which ? "one" : "other", MPI_INFO_NULL, MPI_ERRORS_RETURN, &c) == 0) MPI_Comm_free(&c);
         MPI_Group_free(&g);
     } MPI_Session_get_num_psets(s, MPI_INFO_NULL, &n))
static void new_session(int round)
{
    MPI_Session fresh, old = session;
    (void)round;
    TRY(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &fresh));
    session = fresh;
    if (old != MPI_SESSION_NULL)
        MPI_Session_finalize(&old);
}
static void sessions(void)
{
    session = MPI_SESSION_NULL;
    new_session(0);
    against(with_session, new_session);
    MPI_Session last = session;
    TRY(MPI_Session_finalize(&last));
}

int main(int argc, char **argv)
{
    static const struct variation all[] = {
        {"types", types}, {"operations", operations}, {"attributes", attributes}, {"persistent", persistent}, {"partitions", partitions}, {"windows", windows},
        {"small ones", small_ones}, {"found", found}, {"graphs", graphs}, {"own", own}, {"buffers", buffers}, {"sessions", sessions},
    };
    check_begin_threads(&argc, &argv, MPI_THREAD_MULTIPLE);
    set_canaries();
    return VARIATIONS(all);
}
