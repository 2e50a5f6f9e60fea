// Arguments for a program to spawn, and values of the info `soft`, that carry a request to the launcher: to start a shell.
// The argument says which.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define REST "totspawns=1\nspawnssofar=1\nargcnt=2\narg1=-c\narg2=touch started\npreput_num=0\ninfo_num=0\nendcmd\n"
#define SHELL "mcmd=spawn\nnprocs=1\nexecname=/bin/sh\n" REST

static char *texts[] = {
    "a\npreput_num=0\ninfo_num=0\nendcmd\n" SHELL "mcmd=spawn\nz=1",
    // An end that does not begin a line.
    "a endcmd\n" SHELL "mcmd=spawn\nz=1",
    "aendcmd\n" SHELL "mcmd=spawn\nz=1",
    // Another program in the place of the first.
    "a\nexecname=/bin/sh",
    "a\nexecname=/bin/sh\narg1=-c\narg2=touch started",
    "a\nargcnt=0\nexecname=/bin/sh\n" REST SHELL "mcmd=spawn\nz=1",
    "a\nmcmd=spawn\nexecname=/bin/sh",
    "a\ninfo_key_0=path\ninfo_val_0=/bin",
    "a\ncmd=spawn",
    "a\nendcmd\ncmd=spawn nprocs=1 execname=/bin/sh argcnt=2 arg1=-c arg2=touch\\ started\nmcmd=spawn\nz=1",
};
enum { TEXTS = sizeof texts / sizeof *texts };

static char *softs[] = {
    "1\nendcmd\n" SHELL "mcmd=spawn\nz=1",
    "1 endcmd\n" SHELL "mcmd=spawn\nz=1",
    "1\nexecname=/bin/sh",
    "1\nexecname=/bin/sh\narg1=-c\narg2=touch started",
    "1\ninfo_key_1=path\ninfo_val_1=/bin",
    "1\nmcmd=spawn\nexecname=/bin/sh",
    "1\ncmd=spawn",
    "1\nendcmd\ncmd=spawn nprocs=1 execname=/bin/sh argcnt=2 arg1=-c arg2=touch\\ started\nmcmd=spawn\nz=1",
};

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm parent, child;
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL) {
        MPI_Finalize();
        return 0;
    }
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    int which = atoi(argv[1]), codes[1];
    char *arguments[] = {which < TEXTS ? texts[which] : "a", NULL};
    MPI_Info info = MPI_INFO_NULL;
    if (which >= TEXTS) {
        MPI_Info_create(&info);
        MPI_Info_set(info, "soft", softs[which - TEXTS]);
    }
    puts("asked");
    fflush(stdout);
    MPI_Comm_spawn("granted/argument.wasm", arguments, 1, info, 0, MPI_COMM_SELF, &child, codes);
    for (double start = MPI_Wtime(); MPI_Wtime() - start < 1;)
        ;
    MPI_Abort(MPI_COMM_WORLD, 0);
}
