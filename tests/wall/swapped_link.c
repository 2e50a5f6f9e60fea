// Rank 1 keeps exchanging granted/x, a folder, for a link to the folder above; rank 0 opens granted/x/file, hoping for
// the one that lies outside. The argument says how many seconds; and it goes on until it has opened the file, and was refused it
// where the link was.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void swap_until_told(void)
{
    int is_told = 0;
    symlink("..", "granted/link");
    while (!is_told) {
        rename("granted/x", "granted/folder");
        rename("granted/link", "granted/x");
        rename("granted/x", "granted/link");
        rename("granted/folder", "granted/x");
        MPI_Iprobe(0, 0, MPI_COMM_WORLD, &is_told, MPI_STATUS_IGNORE);
    }
    MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void open_until(double end)
{
    long opened = 0, refused = 0;
    while (MPI_Wtime() < end || opened == 0 || refused == 0) {
        MPI_File file;
        MPI_Status status;
        char text[64] = "";
        int code = MPI_File_open(MPI_COMM_SELF, "granted/x/file", MPI_MODE_RDONLY, MPI_INFO_NULL, &file), class;
        if (code != MPI_SUCCESS) {
            // Between the one and the other there is nothing.
            MPI_Error_class(code, &class);
            refused += class != MPI_ERR_NO_SUCH_FILE;
            continue;
        }
        MPI_File_read(file, text, sizeof text - 1, MPI_BYTE, &status);
        MPI_File_close(&file);
        opened++;
        if (strncmp(text, "inside", 6)) {
            printf("read: %s\n", text);
            break;
        }
    }
    puts("asked");
    MPI_Send(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN);
    if (rank == 1)
        swap_until_told();
    else
        open_until(MPI_Wtime() + atof(argv[1]));
    MPI_Finalize();
}
