// The modes in which files are opened: made, made by nobody else, deleted when closed; and errors that all ranks hear of.
// ranks: 1 2 4
// native: no (the file lies where the harness has granted a folder)
// run: --dir {scratch}::/tmp
#include "../check.h"
#include "../own_number.h"

int main(int argc, char **argv)
{
    char name[64], text[8] = "";
    int amode = 0, number = 0;
    MPI_File file, second;
    MPI_Offset bytes = -1;
    check_begin(&argc, &argv);
    number = own_number();
    snprintf(name, sizeof name, "/tmp/rankine-modes-%d-%d", size, number);

    FAILS(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR, MPI_INFO_NULL, &file), MPI_ERR_NO_SUCH_FILE);
    CHECK(file == MPI_FILE_NULL);
    int create = MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_EXCL;
    TRY(MPI_File_open(MPI_COMM_WORLD, name, create, MPI_INFO_NULL, &file));
    TRY(MPI_File_get_amode(file, &amode));
    CHECK_INT(amode, create);
    TRY(MPI_File_write_at_all(file, rank, &"abcd"[rank], 1, MPI_CHAR, MPI_STATUS_IGNORE));
    TRY(MPI_File_close(&file));
    FAILS(MPI_File_open(MPI_COMM_WORLD, name, create, MPI_INFO_NULL, &file), MPI_ERR_FILE_EXISTS);

    // What is there stays, and is read by all.
    TRY(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_WRONLY | MPI_MODE_CREATE | MPI_MODE_APPEND, MPI_INFO_NULL, &file));
    TRY(MPI_File_get_size(file, &bytes));
    CHECK_INT((int)bytes, size);
    TRY(MPI_File_close(&file));
    TRY(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDONLY, MPI_INFO_NULL, &file));
    TRY(MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_RDONLY, MPI_INFO_NULL, &second));
    TRY(MPI_File_read_at_all(file, 0, text, size, MPI_CHAR, MPI_STATUS_IGNORE));
    CHECK(memcmp(text, "abcd", size) == 0);
    TRY(MPI_File_read_at(second, 0, text, 1, MPI_CHAR, MPI_STATUS_IGNORE));
    TRY(MPI_File_close(&second));
    TRY(MPI_File_close(&file));

    // Modes that mean nothing, or not the same everywhere.
    const int wrong[] = {0, MPI_MODE_CREATE, MPI_MODE_RDONLY | MPI_MODE_WRONLY, MPI_MODE_RDONLY | MPI_MODE_CREATE, MPI_MODE_RDWR | MPI_MODE_SEQUENTIAL};
    for (int i = 0; i < 5; i++)
        FAILS(MPI_File_open(MPI_COMM_WORLD, name, wrong[i], MPI_INFO_NULL, &file), MPI_ERR_AMODE);
    if (size > 1) {
        amode = rank == size - 1 ? MPI_MODE_RDONLY : MPI_MODE_RDWR;
        FAILS(MPI_File_open(MPI_COMM_WORLD, name, amode, MPI_INFO_NULL, &file), MPI_ERR_NOT_SAME);
        FAILS(MPI_File_open(MPI_COMM_WORLD, rank == size - 1 ? "/etc/passwd" : name, MPI_MODE_RDONLY, MPI_INFO_NULL, &file), MPI_ERR_ACCESS);
        FAILS(MPI_File_open(MPI_COMM_WORLD, rank == 0 ? "/etc/passwd" : name, MPI_MODE_RDONLY, MPI_INFO_NULL, &file), MPI_ERR_ACCESS);
    }

    // Deleted by whoever closes it; all can use it until then.
    TRY(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file));
    TRY(MPI_File_get_amode(file, &amode));
    CHECK_INT(amode, MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE);
    TRY(MPI_File_write_ordered(file, "x", 1, MPI_CHAR, MPI_STATUS_IGNORE));
    TRY(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
    TRY(MPI_File_read_ordered(file, text, 1, MPI_CHAR, MPI_STATUS_IGNORE));
    CHECK(text[0] == 'x');
    TRY(MPI_File_close(&file));
    CHECK(file == MPI_FILE_NULL);
    FAILS(MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_RDONLY, MPI_INFO_NULL, &file), MPI_ERR_NO_SUCH_FILE);
    FAILS(MPI_File_delete(name, MPI_INFO_NULL), MPI_ERR_NO_SUCH_FILE);
    return check_end();
}
