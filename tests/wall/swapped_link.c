// Rank 1 keeps exchanging granted/x, a folder, for a link to the folder above; rank 0 opens granted/x/file, hoping for
// the one that lies outside. The argument says how many seconds.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void swap_until(double end)
{
    symlink("..", "granted/link");
    while (MPI_Wtime() < end) {
        rename("granted/x", "granted/folder");
        rename("granted/link", "granted/x");
        rename("granted/x", "granted/link");
        rename("granted/folder", "granted/x");
    }
}

static void open_until(double end)
{
    long opened = 0;
    while (MPI_Wtime() < end) {
        MPI_File file;
        MPI_Status status;
        char text[64] = "";
        if (MPI_File_open(MPI_COMM_SELF, "granted/x/file", MPI_MODE_RDONLY, MPI_INFO_NULL, &file))
            continue;
        MPI_File_read(file, text, sizeof text - 1, MPI_BYTE, &status);
        MPI_File_close(&file);
        opened++;
        if (strncmp(text, "inside", 6)) {
            printf("read: %s\n", text);
            break;
        }
    }
    puts(opened > 0 ? "asked" : "never opened");
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN);
    double end = MPI_Wtime() + atof(argv[1]);
    if (rank == 1)
        swap_until(end);
    else
        open_until(end);
    MPI_Finalize();
}
