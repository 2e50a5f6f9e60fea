// How many ranks a job may have in all (`--max-ranks`): so many start and no more, on whichever node and by whomever, and what can
// not start takes no room.
// engines: local
// ranks: 1 2 4
// native: no (it starts itself as a module)
// run: --dir-ro {guests} --max-ranks 12
#include "../check.h"
#include <stdio.h>

enum { LIMIT = 12, SOME = 5 };

static int nodes = 1;
static char *module;

/* Hints: a node, counted from the first one again and again, and how many ranks would do. */
static MPI_Info wants(int node, const char *soft)
{
    char host[8];
    MPI_Info info;
    TRY(MPI_Info_create(&info));
    snprintf(host, sizeof host, "#%d", node % nodes);
    TRY(MPI_Info_set(info, "host", host));
    if (soft)
        TRY(MPI_Info_set(info, "soft", soft));
    return info;
}

static int start(const char *name, int most, int node, const char *soft, MPI_Comm *children)
{
    char *arguments[] = {"child", NULL};
    MPI_Info info = wants(node, soft);
    int code = MPI_Comm_spawn(name, arguments, most, info, 0, MPI_COMM_SELF, children, MPI_ERRCODES_IGNORE);
    TRY(MPI_Info_free(&info));
    return code;
}

/* Some on the first node and on the last one, fewer than are asked for. */
static void start_some(void)
{
    char *commands[] = {module, module}, *arguments[] = {"child", NULL}, **both[] = {arguments, arguments};
    int most[] = {9, 9}, many = -1;
    MPI_Info infos[] = {wants(0, "1:2"), wants(nodes - 1, "0:3")};
    MPI_Comm children;
    TRY(MPI_Comm_spawn_multiple(2, commands, both, most, infos, size - 1, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE));
    TRY(MPI_Comm_remote_size(children, &many));
    CHECK_INT(many, SOME);
    TRY(MPI_Comm_disconnect(&children));
    TRY(MPI_Info_free(&infos[0]));
    TRY(MPI_Info_free(&infos[1]));
}

int main(int argc, char **argv)
{
    MPI_Comm children, near;
    int here = -1, mine = 0, all = -1;
    check_begin(&argc, &argv);
    module = argv[0];
    char missing[1024];
    snprintf(missing, sizeof missing, "%s.missing", module);
    if (argc > 1) {
        TRY(MPI_Comm_get_parent(&children));
        TRY(MPI_Comm_disconnect(&children));
        TRY(MPI_Finalize());
        return 0;
    }
    TRY(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &near));
    TRY(MPI_Comm_size(near, &here));
    TRY(MPI_Comm_free(&near));
    nodes = size / here;
    start_some();
    // One after the other, as what does not fit has places as long as its call lasts.
    for (int turn = 0; turn < size; turn++) {
        if (turn == rank) {
            FAILS(start(module, LIMIT - size - SOME + 1, rank + 1, NULL, &children), MPI_ERR_SPAWN);
            FAILS(start(missing, 1, rank, NULL, &children), MPI_ERR_SPAWN);
        }
        TRY(MPI_Barrier(MPI_COMM_WORLD));
    }
    // All at once, until there is no room.
    for (int node = rank; start(module, 1, node, NULL, &children) == MPI_SUCCESS; node++) {
        mine++;
        TRY(MPI_Comm_disconnect(&children));
    }
    TRY(MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK_INT(all, LIMIT - size - SOME);
    FAILS(start(module, 3, rank, "0:2", &children), MPI_ERR_SPAWN);
    return check_end();
}
