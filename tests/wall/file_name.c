// Opens the files that its arguments name, to read and to write, and says what it has read there that lies outside, and how
// often it was refused.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    int refused = 0;
    MPI_Init(&argc, &argv);
    MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN);
    for (int i = 1; i < argc; i++) {
        for (int mode = MPI_MODE_RDONLY; mode; mode = mode == MPI_MODE_RDONLY ? MPI_MODE_RDWR : 0) {
            MPI_File file;
            char text[64] = "";
            if (MPI_File_open(MPI_COMM_SELF, argv[i], mode, MPI_INFO_NULL, &file)) {
                refused++;
                continue;
            }
            MPI_File_read(file, text, sizeof text - 1, MPI_BYTE, MPI_STATUS_IGNORE);
            MPI_File_close(&file);
            printf("read: %s: %s\n", argv[i], text);
        }
    }
    printf("refused: %d\n", refused);
    // Its own folder is open to it.
    MPI_File file;
    if (MPI_File_open(MPI_COMM_SELF, "granted/x/file", MPI_MODE_RDWR, MPI_INFO_NULL, &file) == MPI_SUCCESS) {
        MPI_File_close(&file);
        puts("asked");
    }
    MPI_Finalize();
}
