// Intercommunicators whose sides overlap, are named differently by their ranks, have leaders that are none, or are used as if they were one group:
// each is refused where that can be known, and the next one is as good as any.
// ranks: 3 4
// run: --dir {scratch}::/tmp
#include "variations.h"

static MPI_Comm half, sides, made;
static MPI_Group world;
static int odd, others, in[64], out[64];

static MPI_Group of(int count, const int *ranks)
{
    MPI_Group group;
    TRY(MPI_Group_incl(world, count, ranks, &group));
    return group;
}

/* One that is as it should be. */
static void a_good_one(void)
{
    MPI_Comm again;
    int got = -1, sum = -1;
    TRY(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, !odd, 3, &again));
    TRY(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, again));
    for (int i = !odd; i < size; i += 2)
        sum -= i;
    CHECK_INT(sum, 0);
    if (rank < 2)
        TRY(MPI_Sendrecv(&rank, 1, MPI_INT, 0, 1, &got, 1, MPI_INT, 0, 1, again, MPI_STATUS_IGNORE));
    CHECK(rank >= 2 || got == !rank);
    TRY(MPI_Comm_free(&again));
}

static void leaders(void)
{
    static const int none[] = {-1, 2000, INT32_MAX, INT32_MIN, MPI_ANY_SOURCE, MPI_ROOT, MPI_PROC_NULL};
    for (unsigned i = 0; i < sizeof none / sizeof *none; i++) {
        REFUSED(MPI_Intercomm_create(half, none[i], MPI_COMM_WORLD, !odd, 3, &made));
        REFUSED(MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, none[i], 3, &made));
    }
    REFUSED(MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, !rank, -1, &made));
    REFUSED(MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_NULL, !rank, 3, &made));
    REFUSED(MPI_Intercomm_create(MPI_COMM_NULL, 0, MPI_COMM_WORLD, !rank, 3, &made));
    REFUSED(MPI_Intercomm_create(sides, 0, MPI_COMM_WORLD, !rank, 3, &made));
}

/* The leader of the other side is a rank of this side. */
static void my_own_leader(void)
{
    REFUSED(MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, rank, 3, &made));
    REFUSED(MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_SELF, 0, 3, &made));
}

/* What has one group alone has no business with two. */
static void used_as_one(void)
{
    int one = 1, zero = 0, remote, ends[4] = {0, 0, 0, 0};
    void *base;
    MPI_Win window;
    MPI_File file;
    TRY(MPI_Comm_remote_size(sides, &remote));
    REFUSED(MPI_Cart_create(sides, 1, &one, &zero, 0, &made));
    REFUSED(MPI_Graph_create(sides, 1, ends, ends, 0, &made));
    REFUSED(MPI_Dist_graph_create(sides, 0, NULL, NULL, NULL, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made));
    REFUSED(MPI_Dist_graph_create_adjacent(sides, 0, NULL, MPI_UNWEIGHTED, 0, NULL, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made));
    REFUSED(MPI_Cart_map(sides, 1, &one, &zero, ends));
    REFUSED(MPI_Neighbor_allgather(in, 1, MPI_INT, out, 1, MPI_INT, sides));
    REFUSED(MPI_Scan(in, out, 1, MPI_INT, MPI_SUM, sides));
    REFUSED(MPI_Exscan(in, out, 1, MPI_INT, MPI_SUM, sides));
    REFUSED(MPI_Win_create(in, sizeof in, 4, MPI_INFO_NULL, sides, &window));
    REFUSED(MPI_Win_allocate(64, 4, MPI_INFO_NULL, sides, &base, &window));
    REFUSED(MPI_Win_allocate_shared(64, 4, MPI_INFO_NULL, sides, &base, &window));
    REFUSED(MPI_Win_create_dynamic(MPI_INFO_NULL, sides, &window));
    REFUSED(MPI_File_open(sides, "/tmp/rankine-sides", MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &file));
    REFUSED(MPI_Comm_create_group(sides, world, 3, &made));
    REFUSED(MPI_Allreduce(MPI_IN_PLACE, out, 1, MPI_INT, MPI_SUM, sides));
    REFUSED(MPI_Alltoall(MPI_IN_PLACE, 1, MPI_INT, out, 1, MPI_INT, sides));
}

/* Nor the other way round. */
static void one_used_as_two(void)
{
    MPI_Group group;
    int n;
    REFUSED(MPI_Comm_remote_size(MPI_COMM_WORLD, &n));
    REFUSED(MPI_Comm_remote_group(MPI_COMM_WORLD, &group));
    REFUSED(MPI_Intercomm_merge(MPI_COMM_WORLD, 0, &made));
    REFUSED(MPI_Bcast(out, 1, MPI_INT, MPI_ROOT, MPI_COMM_WORLD));
    REFUSED(MPI_Bcast(out, 1, MPI_INT, MPI_PROC_NULL, MPI_COMM_WORLD));
}

/* Ranks that the other side doesn't have, though this one has or the world does. */
static void ranks(void)
{
    MPI_Request request;
    for (int i = others; i < others + 3; i++) {
        REFUSED(MPI_Send(in, 1, MPI_INT, i, 1, sides));
        REFUSED(MPI_Irecv(out, 1, MPI_INT, i, 1, sides, &request));
        REFUSED(MPI_Ssend_init(in, 1, MPI_INT, i, 1, sides, &request));
        REFUSED(MPI_Bcast(out, 1, MPI_INT, i, sides));
        REFUSED(MPI_Gather(in, 1, MPI_INT, out, 1, MPI_INT, i, sides));
        REFUSED(MPI_Ireduce(in, out, 1, MPI_INT, MPI_SUM, i, sides, &request));
    }
}

/* Nobody is the root, and all look on; or all of one side are. */
static void onlookers(void)
{
    TRY(MPI_Bcast(out, 64, MPI_INT, MPI_PROC_NULL, sides));
    TRY(MPI_Barrier(sides));
    REFUSED(MPI_Bcast(out, 64, MPI_INT, MPI_PROC_NULL, half));
    REFUSED(MPI_Gather(in, 1, MPI_INT, out, 1, MPI_INT, MPI_ROOT, half));
    TRY(MPI_Gather(in, 1, MPI_INT, near_end(0), 1 << 20, MPI_INT, MPI_PROC_NULL, sides));
}

/* Groups of the wrong side, and of both. */
static void groups(void)
{
    MPI_Group mine, theirs, both;
    TRY(MPI_Comm_group(sides, &mine));
    TRY(MPI_Comm_remote_group(sides, &theirs));
    TRY(MPI_Group_union(mine, theirs, &both));
    REFUSED(MPI_Comm_create(sides, theirs, &made));
    REFUSED(MPI_Comm_create(sides, both, &made));
    TRY(MPI_Comm_create(sides, odd ? mine : MPI_GROUP_EMPTY, &made));
    CHECK(made == MPI_COMM_NULL);
    TRY(MPI_Comm_create(sides, mine, &made));
    CHECK(made != MPI_COMM_NULL);
    TRY(MPI_Comm_free(&made));
    TRY(MPI_Group_free(&mine));
    TRY(MPI_Group_free(&theirs));
    TRY(MPI_Group_free(&both));
}

/* One rank of a side names another group than the rest of it. */
static void one_side_differs(void)
{
    MPI_Group mine, alone, self;
    int n, members;
    TRY(MPI_Comm_group(sides, &mine));
    TRY(MPI_Group_size(mine, &members));
    TRY(MPI_Group_incl(mine, 1, (int[]){0}, &alone));
    TRY(MPI_Group_incl(mine, 1, (int[]){members - 1}, &self));
    for (int way = 0; way < 3; way++) {
        MPI_Group named = rank == 0 ? alone : rank == 2 ? (way == 0 ? mine : way == 1 ? self : MPI_GROUP_EMPTY) : mine;
        int code = MPI_Comm_create(sides, named, &made);
        // The one and the other alone are groups that have nothing in common; what is made then is nobody's to use.
        if (code == MPI_SUCCESS && made != MPI_COMM_NULL) {
            TRY(MPI_Comm_size(made, &n));
            CHECK(n > 0 && n <= members);
            TRY(MPI_Comm_remote_size(made, &n));
            CHECK(n > 0 && n <= others);
            TRY(MPI_Comm_free(&made));
        }
        a_good_one();
    }
    TRY(MPI_Group_free(&mine));
    TRY(MPI_Group_free(&alone));
    TRY(MPI_Group_free(&self));
}

/* A side that leaves, as a whole or but for one. */
static void splits(void)
{
    int n;
    TRY(MPI_Comm_split(sides, odd ? 1 : MPI_UNDEFINED, 0, &made));
    CHECK(made == MPI_COMM_NULL);
    TRY(MPI_Comm_split(sides, odd, 0, &made)); // no colour is on both sides
    CHECK(made == MPI_COMM_NULL);
    TRY(MPI_Comm_split(sides, rank < 2 ? 5 : MPI_UNDEFINED, INT32_MIN, &made));
    CHECK((made == MPI_COMM_NULL) == (rank >= 2));
    if (made != MPI_COMM_NULL) {
        TRY(MPI_Comm_remote_size(made, &n));
        CHECK_INT(n, 1);
        REFUSED(MPI_Send(in, 1, MPI_INT, 1, 0, made));
        TRY(MPI_Comm_free(&made));
    }
}

/* Both want to be first, or last; which is which is then the library's to say. */
static void merges(void)
{
    int n;
    for (int high = 0; high < 2; high++) {
        TRY(MPI_Intercomm_merge(sides, high, &made));
        TRY(MPI_Comm_size(made, &n));
        CHECK_INT(n, size);
        TRY(MPI_Comm_free(&made));
    }
    TRY(MPI_Intercomm_merge(sides, odd ? INT32_MIN : 0, &made));
    TRY(MPI_Barrier(made));
    TRY(MPI_Comm_free(&made));
}

/* Groups without a leader, with a common rank, without the one who calls. */
static void from_groups(void)
{
    MPI_Group mine = of(1, &rank), all = of(size, (int[]){0, 1, 2, 3}), other = of(1, (int[]){!rank});
#define FROM(local, leader, remote, far) \
    MPI_Intercomm_create_from_groups(local, leader, remote, far, "two sides", MPI_INFO_NULL, MPI_ERRORS_RETURN, &made)
    REFUSED(FROM(mine, 1, other, 0));
    REFUSED(FROM(mine, -1, other, 0));
    REFUSED(FROM(mine, 0, other, 1));
    REFUSED(FROM(mine, 0, other, INT32_MIN));
    REFUSED(FROM(mine, 0, mine, 0));
    if (embedded()) // where the leader tells the others
        REFUSED(FROM(all, 0, other, 0));
    REFUSED(FROM(other, 0, mine, 0));
    REFUSED(FROM(MPI_GROUP_EMPTY, 0, other, 0));
    REFUSED(FROM(mine, 0, MPI_GROUP_EMPTY, 0));
    REFUSED(FROM(mine, 0, MPI_GROUP_NULL, 0));
    TRY(MPI_Group_free(&mine));
    TRY(MPI_Group_free(&all));
    TRY(MPI_Group_free(&other));
}

/* It is freed while its messages are under way, by each side at another time. */
static void freed(void)
{
    MPI_Comm again;
    MPI_Request requests[2];
    TRY(MPI_Comm_dup(sides, &again));
    out[0] = -1;
    if (rank < 2) {
        TRY(MPI_Irecv(out, 1, MPI_INT, 0, 9, again, &requests[0]));
        TRY(MPI_Isend(&rank, 1, MPI_INT, 0, 9, again, &requests[1]));
        if (odd)
            TRY(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    }
    MPI_Comm same = again;
    TRY(MPI_Comm_free(&again));
    if (rank < 2 && !odd)
        TRY(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    CHECK(rank >= 2 || out[0] == !rank);
    REFUSED(MPI_Send(in, 1, MPI_INT, 0, 9, same));
    REFUSED(MPI_Comm_remote_size(same, out));
}

int main(int argc, char **argv)
{
    static const struct variation all[] = {
        {"leaders", leaders}, {"my own leader", my_own_leader}, {"used as one", used_as_one}, {"one used as two", one_used_as_two},
        {"ranks", ranks}, {"onlookers", onlookers}, {"groups", groups},
        {"one side differs", one_side_differs}, {"splits", splits}, {"merges", merges},
        {"from groups", from_groups}, {"freed", freed}, {"a good one", a_good_one},
    };
    hostile_begin(&argc, &argv);
    odd = rank % 2;
    others = odd ? (size + 1) / 2 : size / 2;
    TRY(MPI_Comm_group(MPI_COMM_WORLD, &world));
    TRY(MPI_Comm_split(MPI_COMM_WORLD, odd, 0, &half));
    TRY(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, !odd, 3, &sides));
    return VARIATIONS(all);
}
