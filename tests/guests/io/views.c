// Views: blocks, subarrays and distributed arrays of all ranks make one array; holes stay as they were; byte order; ends.
// engines: local mpi
// ranks: 1 2 4
// native: no (the file lies where the harness has granted a folder)
// run: --dir {scratch}::/tmp
#include "../check.h"
#include "../own_number.h"

enum { ROWS = 12, COLUMNS = 20 };

static MPI_File file;

/* Each rank writes its part of an array, and all read the whole. */
static void whole(MPI_Datatype part, const char *what)
{
    int elements = 0, mine[ROWS * COLUMNS], all[ROWS * COLUMNS], seen = 0;
    MPI_Status status;
    TRY(MPI_Type_size(part, &elements));
    elements /= (int)sizeof(int);
    for (int n = 0; n < elements; n++)
        mine[n] = 1000 * (rank + 1) + n;
    TRY(MPI_File_set_view(file, 16, MPI_INT, part, "native", MPI_INFO_NULL));
    TRY(MPI_File_write_all(file, mine, elements, MPI_INT, &status));
    CHECK_COUNT(status, MPI_INT, elements);
    TRY(MPI_File_sync(file));
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    TRY(MPI_File_sync(file));
    TRY(MPI_File_seek(file, 0, MPI_SEEK_SET));
    memset(all, 0, sizeof all);
    TRY(MPI_File_read_all(file, all, elements, MPI_INT, &status));
    CHECK(memcmp(all, mine, elements * sizeof(int)) == 0);
    TRY(MPI_File_set_view(file, 16, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    TRY(MPI_File_read_at(file, 0, all, ROWS * COLUMNS, MPI_INT, &status));
    CHECK_COUNT(status, MPI_INT, ROWS * COLUMNS);
    for (int n = 0; n < ROWS * COLUMNS; n++) {
        if (all[n] / 1000 < 1 || all[n] / 1000 > size)
            check_fail(__FILE__, __LINE__, what, "element %d is %d", n, all[n]);
        seen += all[n] / 1000 == rank + 1;
    }
    CHECK_INT(seen, elements);
    TRY(MPI_Barrier(MPI_COMM_WORLD));
}

static void arrays(void)
{
    const int sizes[] = {ROWS, COLUMNS}, part[] = {ROWS, COLUMNS / size}, starts[] = {0, rank * (COLUMNS / size)};
    const int cyclic[] = {MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_CYCLIC}, arguments[] = {MPI_DISTRIBUTE_DFLT_DARG, 3}, grid[] = {1, size};
    MPI_Datatype type;
    TRY(MPI_Type_create_subarray(2, sizes, part, starts, MPI_ORDER_C, MPI_INT, &type));
    TRY(MPI_Type_commit(&type));
    whole(type, "subarray");
    TRY(MPI_Type_free(&type));
    TRY(MPI_Type_create_darray(size, rank, 2, sizes, cyclic, arguments, grid, MPI_ORDER_C, MPI_INT, &type));
    TRY(MPI_Type_commit(&type));
    whole(type, "darray");
    TRY(MPI_Type_free(&type));
}

static void ends(void)
{
    MPI_Offset position = -1, byte = -1;
    MPI_Datatype type;
    MPI_Status status;
    int value = 0;
    TRY(MPI_Type_create_resized(MPI_INT, 0, 3 * sizeof(int), &type));
    TRY(MPI_Type_commit(&type));
    TRY(MPI_File_set_view(file, 16, MPI_INT, type, "native", MPI_INFO_NULL));
    TRY(MPI_File_get_byte_offset(file, 5, &byte));
    CHECK_INT(byte, 16 + 5 * 12);
    TRY(MPI_File_seek(file, 0, MPI_SEEK_END));
    TRY(MPI_File_get_position(file, &position));
    CHECK_INT(position, ROWS * COLUMNS / 3);
    TRY(MPI_File_read(file, &value, 1, MPI_INT, &status));
    // ROMIO tells what was asked for where a view has holes.
    if (embedded())
        CHECK_COUNT(status, MPI_INT, 0);
    CHECK(MPI_File_seek(file, -ROWS * COLUMNS, MPI_SEEK_END) != MPI_SUCCESS);
    TRY(MPI_Type_free(&type));
}

int main(int argc, char **argv)
{
    int mark = 0, bytes[4] = {1, 2, 3, 4};
    char name[64], raw[4] = "";
    MPI_Datatype falling;
    check_begin(&argc, &argv);
    mark = own_number();
    snprintf(name, sizeof name, "/tmp/rankine-views-%d-%d", size, mark);
    TRY(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file));
    arrays();
    ends();

    TRY(MPI_Type_indexed(2, (int[]){1, 1}, (int[]){5, 2}, MPI_INT, &falling));
    TRY(MPI_Type_commit(&falling));
    CHECK(MPI_File_set_view(file, 0, MPI_INT, falling, "native", MPI_INFO_NULL) != MPI_SUCCESS);
    TRY(MPI_Type_free(&falling));
    CHECK(MPI_File_set_view(file, -8, MPI_INT, MPI_INT, "native", MPI_INFO_NULL) != MPI_SUCCESS);
    if (embedded()) {
        TRY(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "external32", MPI_INFO_NULL));
        TRY(MPI_File_write_at_all(file, 4 * rank, bytes, 4, MPI_INT, MPI_STATUS_IGNORE));
        TRY(MPI_File_set_view(file, 16 * rank, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
        TRY(MPI_File_read_at(file, 4, raw, 4, MPI_BYTE, MPI_STATUS_IGNORE));
        CHECK(memcmp(raw, "\0\0\0\2", 4) == 0);
    }
    TRY(MPI_File_close(&file));
    return check_end();
}
