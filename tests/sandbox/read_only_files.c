// MPI_File_* in a folder that may only be read.
// ranks: 1 2
// run: --dir-ro {guests}
#include "hostile.h"

int main(int argc, char **argv)
{
    char other[4096], magic[4] = "";
    MPI_File file;
    MPI_Offset before = -1, after = -2;
    hostile_begin(&argc, &argv);
    snprintf(other, sizeof other, "%s.other", argv[0]);
    TRY(MPI_File_open(MPI_COMM_WORLD, argv[0], MPI_MODE_RDONLY, MPI_INFO_NULL, &file));
    TRY(MPI_File_get_size(file, &before));
    TRY(MPI_File_read_at_all(file, 0, magic, 4, MPI_CHAR, MPI_STATUS_IGNORE));
    CHECK(memcmp(magic, "\0asm", 4) == 0);
    REFUSED(MPI_File_write_at(file, 0, magic, 4, MPI_CHAR, MPI_STATUS_IGNORE));
    REFUSED(MPI_File_write_shared(file, magic, 4, MPI_CHAR, MPI_STATUS_IGNORE));
    REFUSED(MPI_File_set_size(file, 1));
    // The library has rank 0 do it, and tells it alone.
    CHECK(MPI_File_preallocate(file, before + 100) != MPI_SUCCESS || rank > 0);
    TRY(MPI_File_close(&file));
    const int modes[] = {MPI_MODE_WRONLY, MPI_MODE_RDWR, MPI_MODE_WRONLY | MPI_MODE_APPEND, MPI_MODE_RDWR | MPI_MODE_CREATE,
                         MPI_MODE_RDONLY | MPI_MODE_DELETE_ON_CLOSE};
    for (int i = 0; i < (int)(sizeof modes / sizeof *modes); i++)
        FAILS(MPI_File_open(MPI_COMM_WORLD, argv[0], modes[i], MPI_INFO_NULL, &file), MPI_ERR_READ_ONLY);
    FAILS(MPI_File_open(MPI_COMM_WORLD, other, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_EXCL, MPI_INFO_NULL, &file), MPI_ERR_READ_ONLY);
    FAILS(MPI_File_delete(argv[0], MPI_INFO_NULL), MPI_ERR_READ_ONLY);
    FAILS(MPI_File_open(MPI_COMM_WORLD, other, MPI_MODE_RDONLY, MPI_INFO_NULL, &file), MPI_ERR_NO_SUCH_FILE);
    TRY(MPI_File_open(MPI_COMM_SELF, argv[0], MPI_MODE_RDONLY, MPI_INFO_NULL, &file));
    TRY(MPI_File_get_size(file, &after));
    CHECK(before == after);
    TRY(MPI_File_close(&file));
    return hostile_end();
}
