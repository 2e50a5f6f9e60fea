// Names of services and ports that carry lines, words or separators of the launcher's: each is refused, and none is cut and passed on.
// engines: mpi
// ranks: 1 2
#include "hostile.h"

static const char *const injections[] = {
    "x port=y\nmcmd=spawn\nnprocs=1\nexecname=/bin/sh\ntotspawns=1\nspawnssofar=1\narg1=-c\narg2=touch /tmp/rankine-pwned\n"
    "argcnt=2\npreput_num=0\ninfo_num=0\nendcmd\ncmd=publish_name service=z",
    "x\ncmd=abort exitcode=9",
    "x\r\ncmd=finalize",
    "\ncmd=finalize\n",
    "x\n",
    "\tx",
    "x\x0b" "cmd=finalize",
    "x\x1b[2J",
    "x\x7f",
    "x\xc2\x85" "cmd=finalize", // the newline of Unicode's upper half
    "x\nendcmd\nmcmd=spawn",
    "    39cmd=spawn;ncmds=1;subcmd=/bin/sh;argc=0;\n", // PMI-2
    "x\ncmd=sp\\awn",
};
enum { INJECTIONS = sizeof injections / sizeof *injections };

/* What separates words of a line, or is an escape in one. */
static const char *const words[] = {
    "x port=y", "x;cmd=abort", "x\\ny", " x", "x ", "", "x;cmd=spawn;ncmds=1;subcmd=/bin/sh;", "x cmd=spawn", "x\\ cmd=spawn", "\\",
};
enum { WORDS = sizeof words / sizeof *words };

int main(int argc, char **argv)
{
    char port[MPI_MAX_PORT_NAME], longest[5000];
    hostile_begin(&argc, &argv);
    for (int i = 0; i < INJECTIONS; i++) {
        const char *bad = injections[i];
        MPI_Comm comm;
        MPI_Win window;
        FAILS(MPI_Publish_name(bad, MPI_INFO_NULL, "p"), MPI_ERR_ARG);
        FAILS(MPI_Publish_name("service", MPI_INFO_NULL, bad), MPI_ERR_PORT);
        FAILS(MPI_Unpublish_name(bad, MPI_INFO_NULL, "p"), MPI_ERR_ARG);
        FAILS(MPI_Unpublish_name("service", MPI_INFO_NULL, bad), MPI_ERR_PORT);
        FAILS(MPI_Lookup_name(bad, MPI_INFO_NULL, port), MPI_ERR_ARG);
        FAILS(MPI_Comm_connect(bad, MPI_INFO_NULL, 0, MPI_COMM_SELF, &comm), MPI_ERR_PORT);
        FAILS(MPI_Comm_accept(bad, MPI_INFO_NULL, 0, MPI_COMM_SELF, &comm), MPI_ERR_PORT);
        FAILS(MPI_Close_port(bad), MPI_ERR_PORT);
        TRY(MPI_Win_create(port, sizeof port, 1, MPI_INFO_NULL, MPI_COMM_SELF, &window));
        TRY(MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN));
        FAILS(MPI_Win_set_name(window, bad), MPI_ERR_ARG);
        TRY(MPI_Win_free(&window));
    }
    for (int i = 0; i < WORDS; i++) {
        FAILS(MPI_Publish_name(words[i], MPI_INFO_NULL, "p"), MPI_ERR_ARG);
        FAILS(MPI_Publish_name("service", MPI_INFO_NULL, words[i]), MPI_ERR_PORT);
        FAILS(MPI_Lookup_name(words[i], MPI_INFO_NULL, port), MPI_ERR_ARG);
    }
    FAILS(MPI_Publish_name("x=y", MPI_INFO_NULL, "p"), MPI_ERR_ARG);
    memset(longest, 'x', sizeof longest);
    longest[sizeof longest - 1] = 0;
    FAILS(MPI_Publish_name(longest, MPI_INFO_NULL, "p"), MPI_ERR_ARG);
    FAILS(MPI_Publish_name("service", MPI_INFO_NULL, longest), MPI_ERR_PORT);
    FAILS(MPI_Lookup_name(longest, MPI_INFO_NULL, port), MPI_ERR_ARG);
    // What programs call their services.
    FAILS(MPI_Lookup_name("climate/ocean-2.1_a:b@c#d", MPI_INFO_NULL, port), MPI_ERR_NAME);
    return hostile_end();
}
