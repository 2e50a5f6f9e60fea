// A service name that carries a request to the launcher: to start a shell.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    static char name[2048];
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    strcpy(name, "x port=y\n"
                 "mcmd=spawn\nnprocs=1\nexecname=/bin/sh\ntotspawns=1\nspawnssofar=1\n"
                 "arg1=-c\narg2=touch started\nargcnt=2\npreput_num=0\ninfo_num=0\nendcmd\n"
                 "cmd=publish_name service=z");
    MPI_Publish_name(name, MPI_INFO_NULL, "port");
    puts("asked");
    fflush(stdout);
    // Long enough for a shell to start.
    for (double start = MPI_Wtime(); MPI_Wtime() - start < 2;)
        ;
    MPI_Abort(MPI_COMM_WORLD, 0);
}
