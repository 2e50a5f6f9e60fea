// Hints for ranks that are to be started, as launchers of all kinds know them: of programs, hosts, folders, files and variables. What starts is the
// named module of a granted folder, with no rights but the program's and none of its variables changed; or nothing does.
// ranks: 1
// run: --dir-ro {guests}
#include "hostile.h"
#include <unistd.h>

extern char **environ;

static const char *const hints[][2] = {
    {"wdir", "/etc"}, {"wdir", "/"}, {"wdir", "../../../../etc"}, {"path", "/bin:/usr/bin"}, {"path", "../../../../bin"}, {"file", "/etc/passwd"},
    {"host", "example.invalid"}, {"hosts", "example.invalid"}, {"hostfile", "/etc/passwd"}, {"add-hostfile", "/etc/passwd"},
    {"arch", "../../../bin/sh"}, {"env", "EVIL=1\\nLD_PRELOAD=/tmp/x.so"}, {"LD_PRELOAD", "/tmp/x.so"}, {"mpi_initial_errhandler", "mpi_abort"},
    {"bind_to", "core;cmd=spawn"}, {"pmix.prefix", "/tmp"}, {"ompi_prefix", "/tmp"}, {"preload_binary", "true"}, {"display", "evil:0"},
    {"timeout", "-1"}, {"stdin_target", "all"}, {"personality", "sh"},
};
enum { HINTS = sizeof hints / sizeof *hints };

/* What a rank that was started sees of the machine, in bits that must all be 0. */
static int looks(int argc)
{
    int seen = 0;
    char folder[256] = "";
    seen |= (getenv("EVIL") || getenv("LD_PRELOAD") || *environ != NULL) << 0;
    seen |= (fopen("/etc/passwd", "r") || fopen("passwd", "r") || fopen("etc/passwd", "r")) << 1;
    seen |= (argc != 1) << 2;
    seen |= (getcwd(folder, sizeof folder) && strstr(folder, "etc")) << 3;
    return seen;
}

/* So many of the hints at once. */
static void try_hints(const char *module, int first, int count)
{
    MPI_Comm children;
    MPI_Info info;
    int codes[1], seen = -1;
    TRY(MPI_Info_create(&info));
    for (int i = first; i < first + count && i < HINTS; i++)
        MPI_Info_set(info, hints[i][0], hints[i][1]);
    if (MPI_Comm_spawn(module, MPI_ARGV_NULL, 1, info, 0, MPI_COMM_SELF, &children, codes) == MPI_SUCCESS) {
        TRY(MPI_Recv(&seen, 1, MPI_INT, 0, 0, children, MPI_STATUS_IGNORE));
        CHECK_INT(seen, 0);
        TRY(MPI_Comm_disconnect(&children));
    } else
        CHECK(children == MPI_COMM_NULL);
    TRY(MPI_Info_free(&info));
}

/* Programs of the machine, wherever a hint says that they are to be looked for. */
static void programs(void)
{
    static const char *const names[] = {
        "sh", "true", "/bin/sh", "./sh", "sh\n", "--help", "-n", "rankine", "mpiexec", "%s%n", "$SHELL", "sh;true", "",
    };
    MPI_Comm children;
    MPI_Info info;
    int codes[1], one[2] = {1, 1};
    TRY(MPI_Info_create(&info));
    TRY(MPI_Info_set(info, "path", "/bin:/usr/bin:/"));
    TRY(MPI_Info_set(info, "wdir", "/bin"));
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        char *commands[] = {(char *)names[i], (char *)names[i]};
        MPI_Info infos[] = {info, MPI_INFO_NULL};
        REFUSED(MPI_Comm_spawn(names[i], MPI_ARGV_NULL, 1, info, 0, MPI_COMM_SELF, &children, codes));
        CHECK(children == MPI_COMM_NULL);
        REFUSED(MPI_Comm_spawn(names[i], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &children, codes));
        REFUSED(MPI_Comm_spawn_multiple(2, commands, MPI_ARGVS_NULL, one, infos, 0, MPI_COMM_SELF, &children, MPI_ERRCODES_IGNORE));
        CHECK(children == MPI_COMM_NULL);
    }
    TRY(MPI_Info_free(&info));
}

int main(int argc, char **argv)
{
    MPI_Comm parent;
    hostile_begin(&argc, &argv);
    TRY(MPI_Comm_get_parent(&parent));
    if (parent != MPI_COMM_NULL) {
        int seen = looks(argc);
        TRY(MPI_Send(&seen, 1, MPI_INT, 0, 0, parent));
        TRY(MPI_Comm_disconnect(&parent));
        TRY(MPI_Finalize());
        return 0;
    }
    programs();
    // Over a library each costs a process, so all at once, too.
    for (int i = 0; i < HINTS; i += embedded() ? 1 : 6)
        try_hints(argv[0], i, embedded() ? 1 : 6);
    try_hints(argv[0], 0, HINTS);
    return hostile_end();
}
