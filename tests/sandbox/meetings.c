// Ports that close while somebody waits, names that others publish and take back, roots that fail before they meet anybody: each call ends,
// and nobody meets whom they should not.
// engines: local
// ranks: 2 4
#include "hostile.h"

static char port[MPI_MAX_PORT_NAME], theirs[MPI_MAX_PORT_NAME];
static MPI_Comm other;

static int connect(const char *name, MPI_Comm comm)
{
    return MPI_Comm_connect(name, MPI_INFO_NULL, 0, comm, &other);
}

static int accept(const char *name, MPI_Comm comm)
{
    return MPI_Comm_accept(name, MPI_INFO_NULL, 0, comm, &other);
}

/* Rank 0's port is everybody's to see. */
static void open_port(void)
{
    if (rank == 0)
        TRY(MPI_Open_port(MPI_INFO_NULL, port));
    TRY(MPI_Bcast(port, sizeof port, MPI_CHAR, 0, MPI_COMM_WORLD));
}

/* The root fails; the others, who pass no name, hear of it. */
static void a_root_that_fails(MPI_Comm all)
{
    static const char *const wrong[] = {"", "rankine#1.0000000000000000", "rankine#", "tag#0$"};
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        REFUSED(connect(rank == 0 ? wrong[i] : near_end(1), all));
        REFUSED(accept(rank == 0 ? wrong[i] : near_end(1), all));
        CHECK(other == MPI_COMM_NULL);
    }
    REFUSED(MPI_Comm_connect(port, MPI_INFO_NULL, size, all, &other));
    REFUSED(MPI_Comm_connect(port, MPI_INFO_NULL, -1, all, &other));
    REFUSED(MPI_Comm_accept(port, MPI_INFO_NULL, INT32_MIN, all, &other));
    REFUSED(MPI_Comm_accept(port, rank == 0 ? (MPI_Info)0x7fffff : MPI_INFO_NULL, 0, all, &other));
    REFUSED(connect(rank == 0 ? near_end(1) : port, all));
    REFUSED(accept(port, MPI_COMM_NULL));
    TRY(MPI_Barrier(all));
}

/* Nobody accepts any more, whoever waits for it. */
static void closed_while_they_wait(void)
{
    open_port();
    if (rank == 0) {
        int flag = 0;
        // Another rank says when it is about to connect; some do before the port is closed, others after.
        for (int i = 1; i < size; i++)
            TRY(MPI_Recv(&flag, 1, MPI_INT, i, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        TRY(MPI_Iprobe(0, 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
        TRY(MPI_Close_port(port));
        FAILS(accept(port, MPI_COMM_SELF), MPI_ERR_PORT);
    } else {
        REFUSED(MPI_Close_port(port));
        TRY(MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD));
        FAILS(connect(port, MPI_COMM_SELF), MPI_ERR_PORT);
        CHECK(other == MPI_COMM_NULL);
    }
    TRY(MPI_Barrier(MPI_COMM_WORLD));
}

/* All others connect at once, and each is met once, by a communicator of its own. */
static void all_at_once(void)
{
    open_port();
    int met = 0, value = -1, answers = 0;
    if (rank == 0) {
        for (int i = 1; i < size; i++) {
            TRY(accept(port, MPI_COMM_SELF));
            TRY(MPI_Recv(&value, 1, MPI_INT, 0, 0, other, MPI_STATUS_IGNORE));
            CHECK(value > 0 && value < size && !(met & 1 << value));
            met |= 1 << value;
            // A rank that the other side doesn't have.
            REFUSED(MPI_Send(&value, 1, MPI_INT, 1, 0, other));
            REFUSED(MPI_Recv(&value, 1, MPI_INT, 1, 0, other, MPI_STATUS_IGNORE));
            TRY(MPI_Send(&value, 1, MPI_INT, 0, 1, other));
            TRY(MPI_Comm_disconnect(&other));
        }
        TRY(MPI_Close_port(port));
    } else {
        TRY(connect(port, MPI_COMM_SELF));
        TRY(MPI_Sendrecv(&rank, 1, MPI_INT, 0, 0, &answers, 1, MPI_INT, 0, 1, other, MPI_STATUS_IGNORE));
        CHECK_INT(answers, rank);
        MPI_Comm same = other;
        TRY(MPI_Comm_disconnect(&other));
        REFUSED(MPI_Comm_disconnect(&same));
        REFUSED(MPI_Send(&rank, 1, MPI_INT, 0, 0, same));
    }
    TRY(MPI_Barrier(MPI_COMM_WORLD));
}

/* Services: names that are none, that belong to others, of ports that are closed. */
static void services(void)
{
    char name[64], longest[5000];
    open_port();
    memset(longest, 's', sizeof longest);
    longest[sizeof longest - 1] = 0;
    snprintf(name, sizeof name, "service of %d", rank);
    REFUSED(MPI_Publish_name("", MPI_INFO_NULL, port));
    REFUSED(MPI_Publish_name(name, MPI_INFO_NULL, "nobody's"));
    REFUSED(MPI_Publish_name(name, (MPI_Info)0x7fffff, port));
    REFUSED(MPI_Publish_name(near_end(3), MPI_INFO_NULL, port));
    REFUSED(MPI_Publish_name(name, MPI_INFO_NULL, near_end(3)));
    REFUSED(MPI_Lookup_name(name, MPI_INFO_NULL, near_end(3)));
    REFUSED(MPI_Lookup_name(longest, MPI_INFO_NULL, theirs));
    REFUSED(MPI_Unpublish_name(name, MPI_INFO_NULL, port));
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 0)
        TRY(MPI_Publish_name("one", MPI_INFO_NULL, port));
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    FAILS(MPI_Publish_name("one", MPI_INFO_NULL, port), MPI_ERR_SERVICE);
    REFUSED(MPI_Unpublish_name("one", MPI_INFO_NULL, "another"));
    TRY(MPI_Lookup_name("one", MPI_INFO_NULL, theirs));
    CHECK_STR(theirs, port);
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 0)
        TRY(MPI_Close_port(port));
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    // The name outlives the port, and leads nowhere.
    if (MPI_Lookup_name("one", MPI_INFO_NULL, theirs) == MPI_SUCCESS)
        FAILS(connect(theirs, MPI_COMM_SELF), MPI_ERR_PORT);
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == size - 1)
        MPI_Unpublish_name("one", MPI_INFO_NULL, port);
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    FAILS(MPI_Lookup_name("one", MPI_INFO_NULL, theirs), MPI_ERR_NAME);
}

/* Rank 1 is on both sides: they have to be groups of different ranks. */
static void on_both_sides(void)
{
    MPI_Comm left, right;
    open_port();
    TRY(MPI_Comm_split(MPI_COMM_WORLD, rank <= 1 ? 0 : MPI_UNDEFINED, rank, &left));
    TRY(MPI_Comm_split(MPI_COMM_WORLD, rank >= 1 ? 0 : MPI_UNDEFINED, -rank, &right));
    if (left != MPI_COMM_NULL) {
        REFUSED(accept(port, left));
        TRY(MPI_Comm_free(&left));
    }
    if (right != MPI_COMM_NULL) {
        REFUSED(connect(port, right));
        TRY(MPI_Comm_free(&right));
    }
    if (rank == 0)
        TRY(MPI_Close_port(port));
}

int main(int argc, char **argv)
{
    MPI_Comm all;
    hostile_begin(&argc, &argv);
    TRY(MPI_Comm_dup(MPI_COMM_WORLD, &all));
    open_port();
    a_root_that_fails(all);
    if (rank == 0)
        TRY(MPI_Close_port(port));
    for (int i = 0; i < 20; i++) {
        closed_while_they_wait();
        all_at_once();
    }
    if (size > 2)
        on_both_sides();
    services();
    FAILS(MPI_Comm_join(0, &other), MPI_ERR_UNSUPPORTED_OPERATION);
    FAILS(MPI_Comm_join(-1, &other), MPI_ERR_UNSUPPORTED_OPERATION);
    TRY(MPI_Comm_free(&all));
    return hostile_end();
}
