// Service names that carry a request to the launcher: to start a shell. The argument says which.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define SHELL "mcmd=spawn\nnprocs=1\nexecname=/bin/sh\ntotspawns=1\nspawnssofar=1\narg1=-c\narg2=touch started\nargcnt=2\npreput_num=0\ninfo_num=0\nendcmd\n"
#define WORDS "nprocs=1 execname=/bin/sh totspawns=1 spawnssofar=1 arg1=-c arg2=touch\\ started argcnt=2 preput_num=0 info_num=0\n"
#define END "cmd=publish_name service=z"

static const char *const names[] = {
    "x port=y\n" SHELL END,
    "x port=y\ncmd=spawn " WORDS END,
    // What one reader takes for a part of the request is the beginning of the next to another.
    "x port=y\nmcmd=put\nkey=endcmd\n" SHELL END,
    "x port=y\nmcmd=spawn\nkey=endcmd\n" SHELL END,
    // An escape, and a second name.
    "x port=y\ncmd=sp\\awn " WORDS END,
    "x port=y\ncmd=put cmd=spawn " WORDS END,
    "x cmd=spawn " WORDS END,
    // As PMI-2 has it, with and without being asked for.
    "x port=y\n   102cmd=spawn;ncmds=1;preputcount=0;subcmd=/bin/sh;maxprocs=1;argc=2;argv0=-c;argv1=touch started;pad=xxx;" END,
    "x port=y\ncmd=init pmi_version=2 pmi_subversion=0\n   102cmd=spawn;ncmds=1;preputcount=0;subcmd=/bin/sh;maxprocs=1;argc=2;argv0=-c;argv1=touch started;pad=xxx;" END,
    // With arguments in another order than their numbers say.
    "x port=y\nmcmd=spawn\nnprocs=1\nexecname=/bin/sh\ntotspawns=1\nspawnssofar=1\narg2=-c\narg1=touch started\nargcnt=2\npreput_num=0\ninfo_num=0\nendcmd\n" END,
    "x port=y\n\n" SHELL "\n" END,
};

int main(int argc, char **argv)
{
    char port[MPI_MAX_PORT_NAME];
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Open_port(MPI_INFO_NULL, port);
    puts("asked");
    fflush(stdout);
    MPI_Publish_name(names[atoi(argv[1])], MPI_INFO_NULL, port);
    // Long enough for a shell to start.
    for (double start = MPI_Wtime(); MPI_Wtime() - start < 1;)
        ;
    MPI_Abort(MPI_COMM_WORLD, 0);
}
