// Messages in partitions whose sizes wrap, whose sides don't agree, and whose requests end at the wrong time: an error each, and the next
// message is as good as any.
// ranks: 1 2
#include "hostile.h"

enum { PARTS = 8, ROOM = 4096 };
static int sent[ROOM], got[ROOM];
static int to, from;

/* A message that is as it should be, in so many parts on each side. */
static void a_good_one(int tag, int parts, int pieces)
{
    MPI_Request pair[2];
    memset(got, 0, sizeof got);
    for (int i = 0; i < 64; i++)
        sent[i] = 1000 * tag + i;
    TRY(MPI_Psend_init(sent, parts, 64 / parts, MPI_INT, to, tag, MPI_COMM_WORLD, MPI_INFO_NULL, &pair[0]));
    TRY(MPI_Precv_init(got, pieces, 64 / pieces, MPI_INT, from, tag, MPI_COMM_WORLD, MPI_INFO_NULL, &pair[1]));
    TRY(MPI_Startall(2, pair));
    TRY(MPI_Pready_range(0, parts - 1, pair[0]));
    TRY(MPI_Waitall(2, pair, MPI_STATUSES_IGNORE));
    for (int i = 0; i < 64; i++)
        CHECK_INT(got[i], 1000 * tag + i);
    TRY(MPI_Request_free(&pair[0]));
    TRY(MPI_Request_free(&pair[1]));
}

/* Numbers whose product wraps in 31, 32, 63 or 64 bits, or that only are too many. */
static void sizes(void)
{
    static const struct {
        int parts;
        MPI_Count count;
        int local, mpi;
    } all[] = {
        {2, 1LL << 62, MPI_ERR_COUNT, MPI_ERR_BUFFER},
        {4, 1LL << 62, MPI_ERR_COUNT, MPI_ERR_BUFFER},
        {65536, 1LL << 47, MPI_ERR_COUNT, MPI_ERR_BUFFER},
        {65536, 1LL << 48, MPI_ERR_COUNT, MPI_ERR_BUFFER},
        {3, 6148914691236517206LL, MPI_ERR_COUNT, MPI_ERR_BUFFER}, // 3 times it is 2 in 64 bits
        {65536, 65536, MPI_ERR_BUFFER, MPI_ERR_BUFFER},
        {65536, 1LL << 46, MPI_ERR_BUFFER, MPI_ERR_BUFFER},
        {1, INT64_MAX, MPI_ERR_BUFFER, MPI_ERR_BUFFER},
        {2, 1LL << 30, MPI_ERR_BUFFER, MPI_ERR_BUFFER},
        {4, -1, MPI_ERR_COUNT, MPI_ERR_COUNT},
        {1, INT64_MIN, MPI_ERR_COUNT, MPI_ERR_COUNT},
        {-1, 1, MPI_ERR_ARG, MPI_ERR_ARG},
        {INT32_MIN, 1, MPI_ERR_ARG, MPI_ERR_ARG},
        {INT32_MIN, INT64_MIN, MPI_ERR_ARG, MPI_ERR_ARG},
        {INT32_MAX, ROOM, MPI_ERR_NO_MEM, MPI_ERR_NO_MEM},
    };
    MPI_Request request;
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
        int expected = embedded() ? all[i].local : all[i].mpi;
        FAILS(MPI_Psend_init(sent, all[i].parts, all[i].count, MPI_INT, to, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &request), expected);
        FAILS(MPI_Precv_init(got, all[i].parts, all[i].count, MPI_INT, from, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &request), expected);
    }
    a_good_one(1, 4, 4);
}

/* Addresses from which only the first parts lie in the memory. */
static void places(void)
{
    MPI_Request request;
    void *wrong[] = {near_end(0), near_end(4), near_end(4 * PARTS - 4), near_end(4 * PARTS - 1), (void *)-4, (void *)0xfffffff0};
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        FAILS(MPI_Psend_init(wrong[i], PARTS, 1, MPI_INT, to, 2, MPI_COMM_WORLD, MPI_INFO_NULL, &request), MPI_ERR_BUFFER);
        FAILS(MPI_Precv_init(wrong[i], PARTS, 1, MPI_INT, from, 2, MPI_COMM_WORLD, MPI_INFO_NULL, &request), MPI_ERR_BUFFER);
    }
    a_good_one(2, 8, 2);
}

/* Requests that are freed before they were of any use. */
static void freed_at_once(void)
{
    MPI_Request requests[64];
    for (int i = 0; i < 64; i++)
        TRY(MPI_Psend_init(sent, PARTS, 1, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[i]));
    for (int i = 63; i >= 0; i--)
        TRY(MPI_Request_free(&requests[i]));
    for (int i = 0; i < 64; i++)
        TRY(MPI_Precv_init(got, PARTS, 1, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[i]));
    for (int i = 0; i < 64; i++)
        TRY(MPI_Request_free(&requests[i]));
    a_good_one(3, 2, 8);
}

/* A sender that is gone when its receiver asks, and the other way round; what was freed is something else by then. */
static void one_side_gone(void)
{
    MPI_Request send, receive;
    MPI_Datatype types[32];
    TRY(MPI_Psend_init(sent, PARTS, 1, MPI_INT, to, 40, MPI_COMM_WORLD, MPI_INFO_NULL, &send));
    TRY(MPI_Request_free(&send));
    for (int i = 0; i < 32; i++)
        TRY(MPI_Type_create_hindexed(2, (int[]){1, 1}, (MPI_Aint[]){i, 1 << 30}, MPI_BYTE, &types[i]));
    TRY(MPI_Precv_init(got, PARTS, 1, MPI_INT, from, 40, MPI_COMM_WORLD, MPI_INFO_NULL, &receive));
    TRY(MPI_Request_free(&receive));
    TRY(MPI_Precv_init(got, PARTS, 1, MPI_INT, from, 41, MPI_COMM_WORLD, MPI_INFO_NULL, &receive));
    TRY(MPI_Request_free(&receive));
    TRY(MPI_Psend_init(sent, PARTS, 1, MPI_INT, to, 41, MPI_COMM_WORLD, MPI_INFO_NULL, &send));
    TRY(MPI_Request_free(&send));
    for (int i = 0; i < 32; i++)
        TRY(MPI_Type_free(&types[i]));
    a_good_one(42, 4, 4);
}

/* The sender's parts are more, or longer, than what they go to. */
static void too_long(void)
{
    static const int longer[][4] = {{8, 8, 4, 8}, {16, 8, 1, 64}, {1, 64, 8, 4}, {64, 2, 64, 1}};
    MPI_Request pair[2];
    for (unsigned i = 0; i < sizeof longer / sizeof *longer; i++) {
        memset(got, 0x55, sizeof got);
        const int *n = longer[i], room = n[2] * n[3];
        TRY(MPI_Psend_init(sent, n[0], n[1], MPI_INT, to, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &pair[0]));
        TRY(MPI_Precv_init(got, n[2], n[3], MPI_INT, from, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &pair[1]));
        TRY(MPI_Start(&pair[1]));
        FAILS(MPI_Wait(&pair[1], MPI_STATUS_IGNORE), room < n[0] * n[1] ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
        CHECK_INT(got[room], 0x55555555);
        TRY(MPI_Request_free(&pair[1]));
        TRY(MPI_Request_free(&pair[0]));
    }
    a_good_one(6, 16, 1);
}

/* Marked ready before the start, twice, after the end, where there is none, on the wrong side. */
static void not_now(void)
{
    MPI_Request pair[2];
    int flag, list[3] = {1, 2, 1};
    TRY(MPI_Psend_init(sent, PARTS, 1, MPI_INT, to, 7, MPI_COMM_WORLD, MPI_INFO_NULL, &pair[0]));
    TRY(MPI_Precv_init(got, PARTS, 1, MPI_INT, from, 7, MPI_COMM_WORLD, MPI_INFO_NULL, &pair[1]));
    FAILS(MPI_Pready(0, pair[0]), MPI_ERR_REQUEST);
    FAILS(MPI_Pready_range(0, PARTS - 1, pair[0]), MPI_ERR_REQUEST);
    FAILS(MPI_Pready(0, pair[1]), MPI_ERR_REQUEST);
    FAILS(MPI_Parrived(pair[0], 0, &flag), MPI_ERR_REQUEST);
    TRY(MPI_Startall(2, pair));
    FAILS(MPI_Pready(PARTS, pair[0]), MPI_ERR_ARG);
    FAILS(MPI_Pready(-1, pair[0]), MPI_ERR_ARG);
    FAILS(MPI_Pready(INT32_MIN, pair[0]), MPI_ERR_ARG);
    FAILS(MPI_Parrived(pair[1], PARTS, &flag), MPI_ERR_ARG);
    FAILS(MPI_Parrived(pair[1], -1, &flag), MPI_ERR_ARG);
    REFUSED(MPI_Start(&pair[0]));
    TRY(MPI_Pready(0, pair[0]));
    FAILS(MPI_Pready(0, pair[0]), MPI_ERR_ARG);
    FAILS(MPI_Pready_list(3, list, pair[0]), MPI_ERR_ARG);
    FAILS(MPI_Pready_range(3, INT32_MAX, pair[0]), MPI_ERR_ARG);
    FAILS(MPI_Pready_range(INT32_MAX, INT32_MIN, pair[0]), MPI_ERR_ARG);
    TRY(MPI_Pready_range(PARTS - 1, 3, pair[0])); // none
    TRY(MPI_Pready_list(0, list, pair[0]));
    TRY(MPI_Pready_range(3, 4, pair[0]));
    FAILS(MPI_Pready_range(4, PARTS - 1, pair[0]), MPI_ERR_ARG);
    TRY(MPI_Pready_range(5, PARTS - 1, pair[0]));
    FAILS(MPI_Pready(0, pair[0]), MPI_ERR_ARG);
    TRY(MPI_Waitall(2, pair, MPI_STATUSES_IGNORE));
    REFUSED(MPI_Pready(0, pair[0]));
    TRY(MPI_Startall(2, pair));
    TRY(MPI_Pready_range(0, PARTS - 1, pair[0]));
    TRY(MPI_Waitall(2, pair, MPI_STATUSES_IGNORE));
    MPI_Request stale = pair[0];
    TRY(MPI_Request_free(&pair[0]));
    TRY(MPI_Request_free(&pair[1]));
    FAILS(MPI_Pready(0, stale), MPI_ERR_REQUEST);
    FAILS(MPI_Start(&stale), MPI_ERR_REQUEST);
    a_good_one(8, 1, 1);
}

/* The communicator and the type are freed before the first part leaves. */
static void nothing_left(void)
{
    MPI_Comm comm;
    MPI_Datatype type;
    MPI_Request pair[2];
    TRY(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    TRY(MPI_Type_contiguous(2, MPI_INT, &type));
    TRY(MPI_Type_commit(&type));
    for (int i = 0; i < 16; i++)
        sent[i] = i;
    memset(got, 0, sizeof got);
    TRY(MPI_Psend_init(sent, PARTS, 1, type, to, 9, comm, MPI_INFO_NULL, &pair[0]));
    TRY(MPI_Precv_init(got, PARTS, 1, type, from, 9, comm, MPI_INFO_NULL, &pair[1]));
    TRY(MPI_Type_free(&type));
    TRY(MPI_Comm_free(&comm));
    TRY(MPI_Startall(2, pair));
    TRY(MPI_Pready_range(0, PARTS - 1, pair[0]));
    TRY(MPI_Waitall(2, pair, MPI_STATUSES_IGNORE));
    CHECK_INT(got[15], 15);
    TRY(MPI_Request_free(&pair[0]));
    TRY(MPI_Request_free(&pair[1]));
}

/* Parts of nothing, as many as can be. */
static void empty(void)
{
    MPI_Request pair[2];
    TRY(MPI_Psend_init(NULL, 1 << 12, 0, MPI_INT, to, 10, MPI_COMM_WORLD, MPI_INFO_NULL, &pair[0]));
    TRY(MPI_Precv_init(NULL, 1 << 12, 0, MPI_INT, from, 10, MPI_COMM_WORLD, MPI_INFO_NULL, &pair[1]));
    TRY(MPI_Startall(2, pair));
    TRY(MPI_Pready_range(0, (1 << 12) - 1, pair[0]));
    TRY(MPI_Waitall(2, pair, MPI_STATUSES_IGNORE));
    TRY(MPI_Request_free(&pair[0]));
    TRY(MPI_Request_free(&pair[1]));
}

/* Wrong ends. */
static void nobody(void)
{
    MPI_Request request;
    static const int ranks[] = {-5, 1000, INT32_MAX, INT32_MIN};
    for (unsigned i = 0; i < 4; i++) {
        FAILS(MPI_Psend_init(sent, 1, 1, MPI_INT, ranks[i], 11, MPI_COMM_WORLD, MPI_INFO_NULL, &request), MPI_ERR_RANK);
        FAILS(MPI_Precv_init(got, 1, 1, MPI_INT, ranks[i], 11, MPI_COMM_WORLD, MPI_INFO_NULL, &request), MPI_ERR_RANK);
    }
    REFUSED(MPI_Precv_init(got, 1, 1, MPI_INT, MPI_ANY_SOURCE, 11, MPI_COMM_WORLD, MPI_INFO_NULL, &request));
    REFUSED(MPI_Precv_init(got, 1, 1, MPI_INT, from, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &request));
    FAILS(MPI_Psend_init(sent, 1, 1, MPI_INT, to, -1, MPI_COMM_WORLD, MPI_INFO_NULL, &request), MPI_ERR_TAG);
    FAILS(MPI_Psend_init(sent, 1, 1, MPI_INT, to, 11, MPI_COMM_NULL, MPI_INFO_NULL, &request), MPI_ERR_COMM);
    FAILS(MPI_Psend_init(sent, 1, 1, MPI_DATATYPE_NULL, to, 11, MPI_COMM_WORLD, MPI_INFO_NULL, &request), MPI_ERR_TYPE);
}

int main(int argc, char **argv)
{
    hostile_begin(&argc, &argv);
    to = (rank + 1) % size;
    from = (rank + size - 1) % size;
    sizes();
    places();
    freed_at_once();
    one_side_gone();
    if (embedded()) // MPICH waits for ever
        too_long();
    not_now();
    nothing_left();
    empty();
    nobody();
    a_good_one(12, 32, 16);
    return hostile_end();
}
