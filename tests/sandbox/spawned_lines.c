// Arguments and hints of new processes that carry lines of the launcher's; and that those of ordinary programs arrive.
// engines: mpi
// ranks: 1
// run: --dir-ro {guests}
#include "hostile.h"

static const char *const bad[] = {
    "a\npreput_num=0\ninfo_num=0\nendcmd\nmcmd=spawn\nnprocs=1\nexecname=/bin/sh\ntotspawns=1\nspawnssofar=1\nargcnt=2\n"
    "arg1=-c\narg2=touch /tmp/rankine-pwned\npreput_num=0\ninfo_num=0\nendcmd\nmcmd=spawn\nz=1",
    "a\nendcmd",
    "\n",
    "a\rb",
    "a\tb",
    "a;b",
    "a\\",
    "\\\nendcmd",
    "a\xc2\x85" "b",
    "",
};
enum { BAD = sizeof bad / sizeof *bad, MANY = 5000 };

static const char *const good[] = {"two words", "a=b", "--x=1 2", " blank", "\"quoted\" 'words'", "$HOME `id` | & < > *", "gr\xc3\xb6\xc3\x9f" "e"};
enum { GOOD = sizeof good / sizeof *good };

static char *many[MANY + 1];

int main(int argc, char **argv)
{
    MPI_Comm parent, children;
    MPI_Info info;
    int codes[1], none[2] = {1, 1};
    hostile_begin(&argc, &argv);
    TRY(MPI_Comm_get_parent(&parent));
    if (parent != MPI_COMM_NULL) {
        int same = argc == GOOD + 1;
        for (int i = 0; same && i < GOOD; i++)
            same = strcmp(argv[i + 1], good[i]) == 0;
        TRY(MPI_Send(&same, 1, MPI_INT, 0, 0, parent));
        TRY(MPI_Comm_disconnect(&parent));
        TRY(MPI_Finalize());
        return 0;
    }
    for (int i = 0; i < BAD; i++) {
        char *one[] = {(char *)bad[i], NULL}, *second[] = {"fine", (char *)bad[i], NULL};
        char *commands[] = {argv[0], argv[0]}, **lists[] = {second + 2, second};
        MPI_Info infos[] = {MPI_INFO_NULL, MPI_INFO_NULL};
        FAILS(MPI_Comm_spawn(argv[0], one, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &children, codes), MPI_ERR_ARG);
        CHECK(children == MPI_COMM_NULL);
        FAILS(MPI_Comm_spawn_multiple(2, commands, lists, none, infos, 0, MPI_COMM_SELF, &children, MPI_ERRCODES_IGNORE), MPI_ERR_ARG);
    }
    // Which processes there may be: numbers.
    const char *const soft[] = {"1 execname=/bin/sh", "1,a", "1;2", "${HOME}", "1=2"};
    for (int i = 0; i < (int)(sizeof soft / sizeof *soft); i++) {
        TRY(MPI_Info_create(&info));
        TRY(MPI_Info_set(info, "soft", soft[i]));
        FAILS(MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, info, 0, MPI_COMM_SELF, &children, codes), MPI_ERR_INFO_VALUE);
        TRY(MPI_Info_free(&info));
    }
    // More than the library counts.
    for (int i = 0; i < MANY; i++)
        many[i] = "x";
    FAILS(MPI_Comm_spawn(argv[0], many, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &children, codes), MPI_ERR_ARG);
    many[899] = NULL;
    FAILS(MPI_Comm_spawn(argv[0], many, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &children, codes), MPI_ERR_ARG);
    char *longest = malloc(100000);
    memset(longest, 'x', 100000);
    longest[99999] = 0;
    char *one[] = {longest, NULL};
    FAILS(MPI_Comm_spawn(argv[0], one, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &children, codes), MPI_ERR_ARG);
    free(longest);
    // Programs that lie in no granted folder, or are none.
    FAILS(MPI_Comm_spawn("/bin/sh", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &children, codes), MPI_ERR_ACCESS);
    FAILS(MPI_Comm_spawn("sh", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &children, codes), MPI_ERR_ACCESS);
    // What is no matter of the launcher's.
    char *arguments[GOOD + 1] = {0};
    int same = -1;
    memcpy(arguments, good, sizeof good);
    TRY(MPI_Comm_spawn(argv[0], arguments, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &children, codes));
    TRY(MPI_Recv(&same, 1, MPI_INT, 0, 0, children, MPI_STATUS_IGNORE));
    CHECK_INT(same, 1);
    TRY(MPI_Comm_disconnect(&children));
    return hostile_end();
}
