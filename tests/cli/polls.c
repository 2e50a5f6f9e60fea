// Ranks that only ever poll, by each function that there is for it, for what needs functions of their own: operations, copies of attributes,
// generalised requests. Each comes to its end, also where every rank has a core to itself and gives nobody a turn.
// ranks: 1 2 3 4
#include "../guests/check.h"
#include "../guests/grequest.h"

enum { WAYS = 8 };
static MPI_Op op;
static int calls;

static void add(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    calls++;
    for (int i = 0; i < *count; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

static int copied(MPI_Comm comm, int key, void *state, void *in, void *out, int *flag)
{
    (void)comm, (void)key, (void)state;
    calls++;
    *(void **)out = in;
    *flag = 1;
    return MPI_SUCCESS;
}

/* Whether it has ended, asked in one way; where the request stays, it is freed by a test afterwards. */
static int ended(int way, MPI_Request *request)
{
    int flag = 0, index, count = 0;
    MPI_Status status;
    switch (way) {
    case 0: TRY(MPI_Test(request, &flag, &status)); return flag;
    case 1: TRY(MPI_Testall(1, request, &flag, &status)); return flag;
    case 2: TRY(MPI_Testany(1, request, &index, &flag, &status)); return flag;
    case 3: TRY(MPI_Testsome(1, request, &count, &index, &status)); return count != 0;
    case 4: TRY(MPI_Request_get_status(*request, &flag, &status)); break;
    case 5: TRY(MPI_Request_get_status_all(1, request, &flag, &status)); break;
    case 6: TRY(MPI_Request_get_status_any(1, request, &index, &flag, &status)); break;
    default: TRY(MPI_Request_get_status_some(1, request, &count, &index, &status)); flag = count != 0;
    }
    if (flag) {
        TRY(MPI_Test(request, &index, &status));
        CHECK_INT(index, 1);
    }
    return flag;
}

static void poll(int way, MPI_Request request)
{
    while (!ended(way, &request))
        ;
    CHECK(request == MPI_REQUEST_NULL);
}

static void reductions(int way)
{
    int mine[2] = {rank, 1}, got[2] = {-1, -1}, counts[4] = {2, 0, 0, 0};
    const int ranks = size * (size - 1) / 2;
    MPI_Request request;
    TRY(MPI_Iallreduce(mine, got, 2, MPI_INT, op, MPI_COMM_WORLD, &request));
    poll(way, request);
    CHECK(got[0] == ranks && got[1] == size);
    TRY(MPI_Ireduce(mine, got, 2, MPI_INT, op, size - 1, MPI_COMM_WORLD, &request));
    poll(way, request);
    CHECK(got[0] == ranks && got[1] == size);
    TRY(MPI_Iscan(mine, got, 2, MPI_INT, op, MPI_COMM_WORLD, &request));
    poll(way, request);
    CHECK(got[0] == rank * (rank + 1) / 2 && got[1] == rank + 1);
    TRY(MPI_Iexscan(mine, got, 2, MPI_INT, op, MPI_COMM_WORLD, &request));
    poll(way, request);
    CHECK(rank == 0 || got[1] == rank);
    TRY(MPI_Ireduce_scatter(mine, got, counts, MPI_INT, op, MPI_COMM_WORLD, &request));
    poll(way, request);
    CHECK(rank != 0 || (got[0] == ranks && got[1] == size));
    CHECK(size == 1 || calls > 0);
}

static void others(int way)
{
    int key, value = 7, before = calls, asked = grequest_queries;
    MPI_Comm comm, made;
    MPI_Request request;
    TRY(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    TRY(MPI_Comm_create_keyval(copied, MPI_COMM_NULL_DELETE_FN, &key, NULL));
    TRY(MPI_Comm_set_attr(comm, key, &value));
    TRY(MPI_Comm_idup(comm, &made, &request));
    poll(way, request);
    CHECK_INT(calls, before + 1);
    TRY(MPI_Barrier(made));
    TRY(MPI_Comm_free(&made));
    TRY(MPI_Comm_free(&comm));
    TRY(MPI_Comm_free_keyval(&key));
    TRY(MPI_Grequest_start(grequest_query, grequest_free, grequest_cancel, NULL, &request));
    TRY(MPI_Grequest_complete(request));
    poll(way, request);
    CHECK(grequest_queries > asked);
}

/* One rank looks for a message that another one sends when their reduction is over, which needs the first. */
static void probes(void)
{
    int mine = 1, got = -1, flag = 0;
    MPI_Request request;
    MPI_Message message;
    for (int matched = 0; matched < 2 && size > 1; matched++) {
        TRY(MPI_Iallreduce(&mine, &got, 1, MPI_INT, op, MPI_COMM_WORLD, &request));
        if (rank == 0) {
            for (flag = 0; !flag;)
                if (matched)
                    TRY(MPI_Improbe(1, 5, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE));
                else
                    TRY(MPI_Iprobe(1, 5, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
            TRY(matched ? MPI_Mrecv(&flag, 1, MPI_INT, &message, MPI_STATUS_IGNORE)
                        : MPI_Recv(&flag, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
        } else {
            TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
            if (rank == 1)
                TRY(MPI_Send(&mine, 1, MPI_INT, 0, 5, MPI_COMM_WORLD));
        }
        CHECK_INT(got, size);
    }
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    for (int commutes = 0; commutes < 2; commutes++) {
        TRY(MPI_Op_create(add, commutes, &op));
        for (int way = 0; way < WAYS; way++) {
            reductions(way);
            others(way);
        }
        probes();
        TRY(MPI_Op_free(&op));
    }
    return check_end();
}
