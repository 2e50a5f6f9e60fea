// Communicators of every origin over the same ranks, with the same tags under way in all: what is sent in one is heard in no other, not in its
// own collectives and partitions, and not in the next one that is made when it has gone.
// ranks: 2 4
#include "hostile.h"

enum { WAYS = 12, TAG = 7, ROUNDS = 300 };
static MPI_Session session;
static MPI_Group world;

/* A communicator over all ranks. */
static MPI_Comm make(int way)
{
    MPI_Comm made = MPI_COMM_NULL, between;
    MPI_Request request;
    MPI_Info none = MPI_INFO_NULL;
    int periodic = 1, one = 1, next = (rank + 1) % size, before = (rank + size - 1) % size, edges[16], ends[8];
    for (int i = 0; i < size; i++) {
        ends[i] = i + 1;
        edges[i] = (i + 1) % size;
    }
    switch (way) {
    case 0: TRY(MPI_Comm_dup(MPI_COMM_WORLD, &made)); break;
    case 1: TRY(MPI_Comm_split(MPI_COMM_WORLD, 5, rank, &made)); break;
    case 2: TRY(MPI_Comm_create(MPI_COMM_WORLD, world, &made)); break;
    case 3: TRY(MPI_Comm_create_group(MPI_COMM_WORLD, world, TAG, &made)); break;
    case 4: TRY(MPI_Comm_create_from_group(world, "contexts", none, MPI_ERRORS_RETURN, &made)); break;
    case 5: TRY(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, none, &made)); break;
    case 6: TRY(MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &made)); break;
    case 7: TRY(MPI_Graph_create(MPI_COMM_WORLD, size, ends, edges, 0, &made)); break;
    case 8: TRY(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &before, &one, 1, &next, &one, none, 0, &made)); break;
    case 9:
        TRY(MPI_Comm_idup(MPI_COMM_WORLD, &made, &request));
        TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
        break;
    case 10: TRY(MPI_Comm_dup_with_info(MPI_COMM_WORLD, none, &made)); break;
    default: {
        MPI_Comm half;
        int leader = rank % 2 ? 0 : 1;
        TRY(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half));
        TRY(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, leader, TAG, &between));
        TRY(MPI_Intercomm_merge(between, rank % 2, &made));
        TRY(MPI_Comm_free(&between));
        TRY(MPI_Comm_free(&half));
    }
    }
    TRY(MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN));
    return made;
}

/* All at once: each receives in each, from anybody and with any tag, before anything is sent. */
static void side_by_side(void)
{
    MPI_Comm all[WAYS];
    MPI_Request receives[WAYS], sends[WAYS];
    int got[WAYS], sent[WAYS];
    for (int way = 0; way < WAYS; way++) {
        all[way] = make(way);
        got[way] = -1;
        TRY(MPI_Irecv(&got[way], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, all[way], &receives[way]));
    }
    for (int way = WAYS - 1; way >= 0; way--) {
        int sum = -1, here, last = way;
        TRY(MPI_Comm_rank(all[way], &here));
        sent[way] = 100 * way + TAG;
        // Collectives of the same communicator go past what waits.
        TRY(MPI_Allreduce(&way, &sum, 1, MPI_INT, MPI_SUM, all[way]));
        CHECK_INT(sum, way * size);
        TRY(MPI_Bcast(&last, 1, MPI_INT, size - 1, all[way]));
        CHECK_INT(last, way);
        CHECK(got[way] == -1 || got[way] == sent[way]);
        TRY(MPI_Isend(&sent[way], 1, MPI_INT, (here + 1) % size, TAG, all[way], &sends[way]));
    }
    TRY(MPI_Waitall(WAYS, sends, MPI_STATUSES_IGNORE));
    TRY(MPI_Waitall(WAYS, receives, MPI_STATUSES_IGNORE));
    for (int way = 0; way < WAYS; way++) {
        CHECK_INT(got[way], 100 * way + TAG);
        TRY(MPI_Comm_free(&all[way]));
    }
}

/* One that has gone with a message that nobody has received, and others after it. */
static void one_after_the_other(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        int old = 4242, flag = -1, got = -1, here;
        MPI_Comm first = make(round % 2 ? 0 : 1), second;
        TRY(MPI_Comm_rank(first, &here));
        TRY(MPI_Send(&old, 1, MPI_INT, (here + 1) % size, TAG, first));
        TRY(MPI_Comm_free(&first));
        second = make(round % 2 ? 1 : 0);
        TRY(MPI_Barrier(second));
        TRY(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, second, &flag, MPI_STATUS_IGNORE));
        CHECK_INT(flag, 0);
        TRY(MPI_Barrier(second));
        TRY(MPI_Sendrecv(&round, 1, MPI_INT, (here + 1) % size, TAG, &got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, second, MPI_STATUS_IGNORE));
        CHECK_INT(got, round);
        TRY(MPI_Comm_free(&second));
    }
}

int main(int argc, char **argv)
{
    hostile_begin(&argc, &argv);
    TRY(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));
    TRY(MPI_Group_from_session_pset(session, "mpi://WORLD", &world));
    side_by_side();
    // To a library a message that nobody receives is the program's mistake, and its context is used again.
    if (embedded())
        one_after_the_other();
    TRY(MPI_Group_free(&world));
    TRY(MPI_Session_finalize(&session));
    return hostile_end();
}
