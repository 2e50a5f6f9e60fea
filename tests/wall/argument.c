// An argument for a program to spawn that carries a request to the launcher: to start a shell.
#include <mpi.h>
#include <stdio.h>

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
    char *arguments[] = {"a\npreput_num=0\ninfo_num=0\nendcmd\n"
                         "mcmd=spawn\nnprocs=1\nexecname=/bin/sh\ntotspawns=1\nspawnssofar=1\nargcnt=2\n"
                         "arg1=-c\narg2=touch started\npreput_num=0\ninfo_num=0\nendcmd\nmcmd=spawn\nz=1",
                         NULL};
    int codes[1];
    puts("asked");
    fflush(stdout);
    MPI_Comm_spawn("granted/argument.wasm", arguments, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &child, codes);
    for (double start = MPI_Wtime(); MPI_Wtime() - start < 2;)
        ;
    MPI_Abort(MPI_COMM_WORLD, 0);
}
