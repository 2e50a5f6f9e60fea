// Worlds that programs start: each has an MPI_COMM_WORLD of its own, children start children, and all of them can be merged.
// engines: local
// ranks: 1 2 4
// native: no (it starts itself as a module)
// run: --dir-ro {guests}
#include "../check.h"

enum { CHILDREN = 3, GRANDCHILDREN = 2 };

static char *program;

/* Starts more, and makes one communicator of all; the parents come first. */
static MPI_Comm grow(MPI_Comm comm, char *generation, int count)
{
    MPI_Comm children, all;
    int codes[CHILDREN] = {-1, -1, -1}, many = -1, root = -1;
    char *arguments[] = {generation, NULL};
    TRY(MPI_Comm_size(comm, &root));
    root--;
    // What the root says counts.
    TRY(MPI_Comm_spawn(program, arguments, count, MPI_INFO_NULL, root, comm, &children, codes));
    for (int i = 0; i < count; i++)
        CHECK_INT(codes[i], MPI_SUCCESS);
    TRY(MPI_Comm_remote_size(children, &many));
    CHECK_INT(many, count);
    TRY(MPI_Intercomm_merge(children, 0, &all));
    TRY(MPI_Comm_disconnect(&children));
    return all;
}

/* The same in those that were started. */
static MPI_Comm join(MPI_Comm parent)
{
    MPI_Comm all;
    char name[MPI_MAX_OBJECT_NAME];
    int length;
    TRY(MPI_Comm_get_name(parent, name, &length));
    CHECK_STR(name, "MPI_COMM_PARENT");
    TRY(MPI_Intercomm_merge(parent, 1, &all));
    TRY(MPI_Comm_disconnect(&parent));
    TRY(MPI_Comm_get_parent(&parent));
    CHECK(parent == MPI_COMM_NULL);
    return all;
}

/* Everybody is there once, in order, and numbers of ranks are those of the communicator. */
static void count(MPI_Comm all, int expected)
{
    int many = -1, me = -1, sum = -1, token = -1;
    TRY(MPI_Comm_size(all, &many));
    TRY(MPI_Comm_rank(all, &me));
    CHECK_INT(many, expected);
    TRY(MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, all));
    CHECK_INT(sum, expected * (expected - 1) / 2);
    MPI_Status status;
    TRY(MPI_Sendrecv(&me, 1, MPI_INT, (me + 1) % many, 7, &token, 1, MPI_INT, MPI_ANY_SOURCE, 7, all, &status));
    CHECK_INT(token, (me + many - 1) % many);
    CHECK_INT(status.MPI_SOURCE, token);
    // Long messages too.
    static char out[100000], in[100000];
    memset(out, me + 1, sizeof out);
    TRY(MPI_Sendrecv(out, sizeof out, MPI_CHAR, (me + 1) % many, 8, in, sizeof in, MPI_CHAR, token, 8, all, &status));
    CHECK(in[0] == token + 1 && in[sizeof in - 1] == token + 1);
    // A window of ranks that different programs started.
    int *mine;
    MPI_Win win;
    TRY(MPI_Win_allocate(sizeof *mine, sizeof *mine, MPI_INFO_NULL, all, &mine, &win));
    TRY(MPI_Win_fence(0, win));
    TRY(MPI_Put(&me, 1, MPI_INT, (me + 1) % many, 0, 1, MPI_INT, win));
    TRY(MPI_Win_fence(0, win));
    CHECK_INT(*mine, token);
    TRY(MPI_Win_free(&win));
    TRY(MPI_Comm_free(&all));
}

static int number_of(int key)
{
    int *value = NULL, flag = 0;
    TRY(MPI_Comm_get_attr(MPI_COMM_WORLD, key, &value, &flag));
    CHECK(flag);
    return *value;
}

int main(int argc, char **argv)
{
    MPI_Comm parent, all;
    int psets = -1;
    check_begin(&argc, &argv);
    program = argv[0];
    TRY(MPI_Comm_get_parent(&parent));
    CHECK(number_of(MPI_UNIVERSE_SIZE) >= 1);
    if (parent == MPI_COMM_NULL) {
        CHECK_INT(number_of(MPI_APPNUM), 0);
        int first = size;
        all = grow(MPI_COMM_WORLD, "child", CHILDREN);
        count(all, first + CHILDREN);
        // Two commands, of which the second has no argument and is told so by MPI_APPNUM.
        char *commands[] = {program, program}, *quick[] = {"quick", NULL}, **arguments[] = {quick, MPI_ARGV_NULL};
        int each[] = {1, 2}, codes[3] = {-1, -1, -1}, value = 3, sum = 0;
        MPI_Info infos[] = {MPI_INFO_NULL, MPI_INFO_NULL};
        MPI_Comm children;
        TRY(MPI_Comm_spawn_multiple(2, commands, arguments, each, infos, 0, MPI_COMM_WORLD, &children, codes));
        for (int i = 0; i < 3; i++)
            CHECK_INT(codes[i], MPI_SUCCESS);
        TRY(MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, children));
        CHECK_INT(sum, 0 + 1 + 1);
        TRY(MPI_Comm_disconnect(&children));
        return check_end();
    }
    // The world is this generation's alone.
    MPI_Session session;
    MPI_Group group;
    int members = -1;
    TRY(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));
    TRY(MPI_Session_get_num_psets(session, MPI_INFO_NULL, &psets));
    TRY(MPI_Group_from_session_pset(session, "mpi://WORLD", &group));
    TRY(MPI_Group_size(group, &members));
    CHECK_INT(members, size);
    TRY(MPI_Group_free(&group));
    TRY(MPI_Session_finalize(&session));
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    if (argc > 1 && strcmp(argv[1], "child") == 0) {
        CHECK_INT(size, CHILDREN);
        all = join(parent);
        int many = -1;
        TRY(MPI_Comm_size(all, &many));
        count(all, many);
        all = grow(MPI_COMM_WORLD, "grandchild", GRANDCHILDREN);
        count(all, CHILDREN + GRANDCHILDREN);
    } else if (argc > 1 && strcmp(argv[1], "grandchild") == 0) {
        CHECK_INT(size, GRANDCHILDREN);
        count(join(parent), CHILDREN + GRANDCHILDREN);
    } else {
        CHECK_INT(size, 3);
        CHECK_INT(argc, rank == 0 ? 2 : 1);
        int me = number_of(MPI_APPNUM), sum = 0, many = -1;
        CHECK_INT(me, rank == 0 ? 0 : 1);
        TRY(MPI_Comm_remote_size(parent, &many));
        TRY(MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, parent));
        CHECK_INT(sum, 3 * many);
        TRY(MPI_Comm_disconnect(&parent));
    }
    TRY(MPI_Finalize());
    return 0;
}
