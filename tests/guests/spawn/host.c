// The info key `host`: on which node the ranks of each command start, by its name or its number. On one machine there is one.
// engines: local
// ranks: 1 2 4
// native: no (it starts itself as a module)
// run: --dir-ro {guests}/guests::.
#include "../check.h"

enum { MOST = 8, LONG = 40000 };

static char name[MPI_MAX_PROCESSOR_NAME], text[LONG + 1];
/* How many nodes there are, and which this one is. */
static int nodes, node;

/* What a command wants; with a folder its ranks begin in that. */
static MPI_Info wants(const char *host, const char *soft, const char *folder)
{
    MPI_Info info;
    TRY(MPI_Info_create(&info));
    TRY(MPI_Info_set(info, "path", folder ? folder : "spawn"));
    if (host)
        TRY(MPI_Info_set(info, "host", host));
    if (soft)
        TRY(MPI_Info_set(info, "soft", soft));
    if (folder)
        TRY(MPI_Info_set(info, "wdir", folder));
    return info;
}

static char *number(int which)
{
    static char numbers[MOST][8];
    snprintf(numbers[which], sizeof numbers[which], "#%d", which);
    return numbers[which];
}

/* Starts ranks that are told on which node they are to be. */
static int start(const char *host, int expected, int most, MPI_Comm comm, int root, MPI_Comm *children, int *codes)
{
    char where[8];
    snprintf(where, sizeof where, "%d", expected);
    char *arguments[] = {"child", where, text, NULL};
    MPI_Info info = wants(host, NULL, NULL);
    int code = MPI_Comm_spawn("host.wasm", arguments, most, info, root, comm, children, codes);
    TRY(MPI_Info_free(&info));
    return code;
}

/* Who says that it is on this node shares it with those who are, and with nobody else. */
static void meet(MPI_Comm inter, int is_parent, int where)
{
    MPI_Comm all, near;
    int many = -1, me = -1, here = -1, same = 0, token = -1, sum = -1;
    int each[64];
    TRY(MPI_Intercomm_merge(inter, !is_parent, &all));
    TRY(MPI_Comm_size(all, &many));
    TRY(MPI_Comm_rank(all, &me));
    TRY(MPI_Allgather(&where, 1, MPI_INT, each, 1, MPI_INT, all));
    TRY(MPI_Comm_split_type(all, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &near));
    TRY(MPI_Comm_size(near, &here));
    for (int i = 0; i < many; i++)
        same += each[i] == where;
    CHECK_INT(here, same);
    TRY(MPI_Allreduce(&where, &sum, 1, MPI_INT, MPI_MAX, near));
    CHECK_INT(sum, where);
    // Short and long messages, and a window.
    static char out[100000], in[100000];
    memset(out, me + 1, sizeof out);
    int next = (me + 1) % many, before = (me + many - 1) % many;
    TRY(MPI_Sendrecv(&me, 1, MPI_INT, next, 7, &token, 1, MPI_INT, before, 7, all, MPI_STATUS_IGNORE));
    CHECK_INT(token, before);
    TRY(MPI_Sendrecv(out, sizeof out, MPI_CHAR, next, 8, in, sizeof in, MPI_CHAR, before, 8, all, MPI_STATUS_IGNORE));
    CHECK(in[0] == before + 1 && in[sizeof in - 1] == before + 1);
    int *mine;
    MPI_Win win;
    TRY(MPI_Win_allocate(sizeof *mine, sizeof *mine, MPI_INFO_NULL, all, &mine, &win));
    TRY(MPI_Win_fence(0, win));
    TRY(MPI_Put(&me, 1, MPI_INT, next, 0, 1, MPI_INT, win));
    TRY(MPI_Win_fence(0, win));
    CHECK_INT(*mine, before);
    TRY(MPI_Win_free(&win));
    TRY(MPI_Comm_free(&near));
    TRY(MPI_Comm_free(&all));
}

/* Ranks on each node in turn, for the whole world and for each rank by itself. */
static void one_command(void)
{
    MPI_Comm children;
    int codes[2] = {-1, -1};
    for (int to = 0; to < nodes; to++) {
        TRY(start(number(to), to, 2, MPI_COMM_WORLD, size - 1, &children, codes));
        CHECK(codes[0] == MPI_SUCCESS && codes[1] == MPI_SUCCESS);
        meet(children, 1, node);
        TRY(MPI_Comm_disconnect(&children));
        // All ask each other at once.
        int other = (node + to) % nodes;
        TRY(start(number(other), other, 2, MPI_COMM_SELF, 0, &children, MPI_ERRCODES_IGNORE));
        meet(children, 1, node);
        TRY(MPI_Comm_disconnect(&children));
    }
    // By its name it is the own node, also where others have the same.
    const char *own[] = {name, "localhost", NULL};
    for (int i = 0; i < 3; i++) {
        TRY(start(own[i], node, 1, MPI_COMM_SELF, 0, &children, MPI_ERRCODES_IGNORE));
        meet(children, 1, node);
        TRY(MPI_Comm_disconnect(&children));
    }
}

/* Each command has a node of its own, and their ranks are one world, in the order of the commands. */
static void many_commands(void)
{
    int last = nodes - 1, codes[8];
    char there[8], *commands[] = {"host.wasm", "host.wasm", "host.wasm", "host.wasm"};
    snprintf(there, sizeof there, "%d", last);
    char *far[] = {"one of many", there, NULL}, *near[] = {"one of many", "0", NULL};
    char **arguments[] = {far, near, far, near};
    int most[] = {1, 2, 4, 1};
    // Of four ranks three are as good.
    MPI_Info infos[] = {wants(number(last), NULL, NULL), wants(NULL, NULL, NULL), wants(number(last), "1,3", "./spawn"),
        wants(number(0), NULL, NULL)};
    MPI_Comm children;
    TRY(MPI_Comm_spawn_multiple(4, commands, arguments, most, infos, 0, MPI_COMM_WORLD, &children, codes));
    for (int i = 0; i < 8; i++)
        CHECK_INT(codes[i], i == 6 ? MPI_ERR_SPAWN : MPI_SUCCESS);
    meet(children, 1, node);
    TRY(MPI_Comm_disconnect(&children));
    for (int i = 0; i < 4; i++)
        TRY(MPI_Info_free(&infos[i]));
}

static void fails(const char *host, const char *folder, char *command, MPI_Comm comm)
{
    MPI_Comm children;
    MPI_Info infos[] = {MPI_INFO_NULL, wants(host, NULL, folder)};
    char *commands[] = {"spawn/host.wasm", command};
    int most[] = {1, 1}, codes[2];
    FAILS(MPI_Comm_spawn(command, MPI_ARGV_NULL, 1, infos[1], 0, comm, &children, codes), MPI_ERR_SPAWN);
    CHECK(children == MPI_COMM_NULL);
    // The other does not start either.
    FAILS(MPI_Comm_spawn_multiple(2, commands, MPI_ARGVS_NULL, most, infos, 0, comm, &children, codes), MPI_ERR_SPAWN);
    TRY(MPI_Info_free(&infos[1]));
}

static void nobody_starts(void)
{
    char beyond[8];
    snprintf(beyond, sizeof beyond, "#%d", nodes);
    const char *hosts[] = {"nowhere.example", beyond, "#", ""};
    for (int i = 0; i < 4; i++)
        fails(hosts[i], NULL, "host.wasm", i ? MPI_COMM_WORLD : MPI_COMM_SELF);
    fails(number(nodes - 1), NULL, "no_such_module.wasm", MPI_COMM_WORLD);
    fails(number(nodes - 1), "nowhere", "spawn/host.wasm", MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    MPI_Comm parent, near, children;
    int here = -1, length = -1, flag = 0, *number_of = NULL;
    check_begin(&argc, &argv);
    memset(text, 'x', LONG);
    TRY(MPI_Get_processor_name(name, &length));
    TRY(MPI_Comm_get_parent(&parent));
    if (parent != MPI_COMM_NULL) {
        int where = atoi(argv[2]);
        if (strcmp(argv[1], "one of many") == 0) {
            int numbers[] = {0, 1, 1, 2, 2, 2, 3};
            CHECK_INT(size, 7);
            TRY(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &number_of, &flag));
            CHECK(flag);
            CHECK_INT(*number_of, numbers[rank]);
            FILE *beside = fopen("host.wasm", "r");
            CHECK_INT(beside != NULL, numbers[rank] == 2);
            if (beside)
                fclose(beside);
        } else {
            CHECK_STR(argv[3], text);
        }
        meet(parent, 0, where);
        // It is at home where it is.
        if (strcmp(argv[1], "child") == 0 && rank == 0) {
            char *arguments[] = {"grandchild", argv[2], text, NULL};
            TRY(MPI_Comm_spawn("spawn/host.wasm", arguments, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &children, MPI_ERRCODES_IGNORE));
            meet(children, 1, where);
            TRY(MPI_Comm_disconnect(&children));
        }
        TRY(MPI_Comm_disconnect(&parent));
        TRY(MPI_Finalize());
        return 0;
    }
    TRY(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &near));
    TRY(MPI_Comm_size(near, &here));
    // Nodes have the order of their first ranks, however ranks are numbered.
    int place = -1;
    TRY(MPI_Comm_rank(near, &place));
    int is_first = place == 0;
    TRY(MPI_Exscan(&is_first, &node, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    if (rank == 0)
        node = 0;
    TRY(MPI_Bcast(&node, 1, MPI_INT, 0, near));
    TRY(MPI_Comm_free(&near));
    nodes = size / here;
    CHECK(nodes <= MOST);
    one_command();
    many_commands();
    nobody_starts();
    return check_end();
}
