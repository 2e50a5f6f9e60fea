// MPI_MODE_SEQUENTIAL: a file that is written and read at its end alone, by the shared pointer; every other access is refused.
// ranks: 1 2 4
// native: no (the file lies where the harness has granted a folder)
// run: --dir {scratch}::/tmp
#include "../check.h"
#include "../own_number.h"

static MPI_File file;

/* What needs to know a place in the file. */
static void refuse_places(void)
{
    int value = 0;
    MPI_Offset position = -1;
    MPI_Request request;
    FAILS(MPI_File_seek(file, 0, MPI_SEEK_SET), MPI_ERR_UNSUPPORTED_OPERATION);
    FAILS(MPI_File_seek_shared(file, 0, MPI_SEEK_SET), MPI_ERR_UNSUPPORTED_OPERATION);
    FAILS(MPI_File_get_position(file, &position), MPI_ERR_UNSUPPORTED_OPERATION);
    FAILS(MPI_File_get_position_shared(file, &position), MPI_ERR_UNSUPPORTED_OPERATION);
    FAILS(MPI_File_write_at(file, 0, &value, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_ERR_UNSUPPORTED_OPERATION);
    FAILS(MPI_File_write(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_ERR_UNSUPPORTED_OPERATION);
    FAILS(MPI_File_iwrite_at(file, 0, &value, 1, MPI_INT, &request), MPI_ERR_UNSUPPORTED_OPERATION);
    FAILS(MPI_File_iwrite(file, &value, 1, MPI_INT, &request), MPI_ERR_UNSUPPORTED_OPERATION);
    FAILS(MPI_File_write_all(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_ERR_UNSUPPORTED_OPERATION);
    FAILS(MPI_File_write_at_all(file, 0, &value, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_ERR_UNSUPPORTED_OPERATION);
}

/* Numbers from 0 on, one a rank and round, in any order within a round. */
static void compare(int rounds)
{
    int got, seen = 0;
    MPI_Status status;
    for (int round = 0; round < rounds; round++) {
        got = -1;
        TRY(MPI_File_read_shared(file, &got, 1, MPI_INT, &status));
        CHECK_COUNT(status, MPI_INT, 1);
        CHECK(got >= 0 && got < rounds * size);
        seen += got;
    }
    int sum = -1, all = rounds * size;
    TRY(MPI_Allreduce(&seen, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK_INT(sum, all * (all - 1) / 2);
    // Nothing is behind the last.
    TRY(MPI_File_read_shared(file, &got, 1, MPI_INT, &status));
    CHECK_COUNT(status, MPI_INT, 0);
}

int main(int argc, char **argv)
{
    char name[64];
    int mark = 0, value, amode = 0;
    const int writes = MPI_MODE_WRONLY | MPI_MODE_SEQUENTIAL, reads = MPI_MODE_RDONLY | MPI_MODE_SEQUENTIAL;
    MPI_Request request;
    MPI_Offset bytes = -1;
    check_begin(&argc, &argv);
    mark = own_number();
    snprintf(name, sizeof name, "/tmp/rankine-sequential-%d-%d", size, mark);
    TRY(MPI_File_open(MPI_COMM_WORLD, name, writes | MPI_MODE_CREATE, MPI_INFO_NULL, &file));
    TRY(MPI_File_get_amode(file, &amode));
    CHECK_INT(amode, writes | MPI_MODE_CREATE);
    TRY(MPI_File_set_view(file, MPI_DISPLACEMENT_CURRENT, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    refuse_places();
    value = rank;
    TRY(MPI_File_write_shared(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    value = size + rank;
    TRY(MPI_File_write_ordered(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
    value = 2 * size + rank;
    TRY(MPI_File_iwrite_shared(file, &value, 1, MPI_INT, &request));
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
    TRY(MPI_File_close(&file));

    // What is written next comes behind.
    TRY(MPI_File_open(MPI_COMM_WORLD, name, writes | MPI_MODE_APPEND, MPI_INFO_NULL, &file));
    TRY(MPI_File_set_view(file, MPI_DISPLACEMENT_CURRENT, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    value = 3 * size + rank;
    TRY(MPI_File_write_shared(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
    TRY(MPI_File_close(&file));

    TRY(MPI_File_open(MPI_COMM_WORLD, name, reads | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file));
    TRY(MPI_File_get_size(file, &bytes));
    CHECK_INT(bytes, 4 * size * (int)sizeof(int));
    FAILS(MPI_File_read_at(file, 0, &value, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_ERR_UNSUPPORTED_OPERATION);
    FAILS(MPI_File_read(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_ERR_UNSUPPORTED_OPERATION);
    TRY(MPI_File_set_view(file, MPI_DISPLACEMENT_CURRENT, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    compare(4);
    TRY(MPI_File_close(&file));
    return check_end();
}
