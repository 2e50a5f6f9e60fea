// MPI_File_*: every rank writes its own part and reads its neighbour's: at offsets, through a view, in order, and without waiting.
// ranks: 1 2
// native: no (the file lies where the harness has granted a folder)
// run: --dir {scratch}::/tmp
#include "../check.h"
#include "../own_number.h"

enum { N = 64 };

static int heard;

static void hear(MPI_File *file, int *code, ...)
{
    CHECK(*file != MPI_FILE_NULL);
    CHECK(*code != MPI_SUCCESS);
    heard++;
}

/* Errors of a file go to its own handler. */
static void handlers(MPI_File file)
{
    MPI_Errhandler handler, shown;
    TRY(MPI_File_get_errhandler(file, &shown));
    CHECK(shown == MPI_ERRORS_RETURN);
    TRY(MPI_File_create_errhandler(hear, &handler));
    TRY(MPI_File_set_errhandler(file, handler));
    CHECK(MPI_File_seek(file, -1, MPI_SEEK_SET) != MPI_SUCCESS);
    CHECK_INT(heard, 1);
    TRY(MPI_File_call_errhandler(file, MPI_ERR_IO));
    CHECK_INT(heard, 2);
    TRY(MPI_File_set_errhandler(file, MPI_ERRORS_RETURN));
    TRY(MPI_Errhandler_free(&handler));
}

int main(int argc, char **argv)
{
    int out[N], in[N], amode = 0;
    char name[64], datarep[MPI_MAX_DATAREP_STRING];
    MPI_File file;
    MPI_Status status;
    MPI_Request request;
    MPI_Offset bytes = -1, displacement = -1;
    MPI_Datatype filetype, etype, type;
    MPI_Group group;
    MPI_Info info;
    int members = 0, pid = 0;
    check_begin(&argc, &argv);
    // A name of this job's own.
    pid = own_number();
    snprintf(name, sizeof name, "/tmp/rankine-files-%d-%d", size, pid);
    for (int n = 0; n < N; n++)
        out[n] = 1000 * rank + n;

    TRY(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file));
    TRY(MPI_File_get_amode(file, &amode));
    CHECK(amode & MPI_MODE_RDWR);
    TRY(MPI_File_get_group(file, &group));
    TRY(MPI_Group_size(group, &members));
    CHECK_INT(members, size);
    TRY(MPI_Group_free(&group));
    handlers(file);
    TRY(MPI_File_get_info(file, &info));
    TRY(MPI_Info_free(&info));

    // At offsets, all together and each by itself.
    TRY(MPI_File_write_at_all(file, (MPI_Offset)rank * sizeof out, out, N, MPI_INT, &status));
    CHECK_COUNT(status, MPI_INT, N);
    TRY(MPI_File_sync(file));
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    TRY(MPI_File_sync(file));
    TRY(MPI_File_get_size(file, &bytes));
    CHECK_INT(bytes, size * sizeof out);
    int next = (rank + 1) % size;
    memset(in, 0, sizeof in);
    TRY(MPI_File_read_at(file, (MPI_Offset)next * sizeof in, in, N, MPI_INT, &status));
    CHECK_COUNT(status, MPI_INT, N);
    for (int n = 0; n < N; n++)
        CHECK_INT(in[n], 1000 * next + n);

    // Without waiting; the request is the file's.
    memset(in, 0, sizeof in);
    TRY(MPI_File_iread_at(file, (MPI_Offset)rank * sizeof in, in, N, MPI_INT, &request));
    TRY(MPI_Wait(&request, &status));
    CHECK(request == MPI_REQUEST_NULL);
    CHECK_INT(in[N - 1], 1000 * rank + N - 1);

    // Through a view of every size-th int.
    TRY(MPI_Type_vector(N, 1, size, MPI_INT, &filetype));
    TRY(MPI_Type_commit(&filetype));
    TRY(MPI_File_set_view(file, (MPI_Offset)rank * sizeof(int), MPI_INT, filetype, "native", MPI_INFO_NULL));
    TRY(MPI_File_get_view(file, &displacement, &etype, &type, datarep));
    CHECK_INT(displacement, rank * sizeof(int));
    CHECK(etype == MPI_INT);
    CHECK_STR(datarep, "native");
    TRY(MPI_Type_free(&type));
    TRY(MPI_File_write_all(file, out, N, MPI_INT, &status));
    TRY(MPI_File_seek(file, 0, MPI_SEEK_SET));
    memset(in, 0, sizeof in);
    TRY(MPI_File_read_all(file, in, N, MPI_INT, &status));
    for (int n = 0; n < N; n++)
        CHECK_INT(in[n], out[n]);
    TRY(MPI_Type_free(&filetype));

    // Split in two.
    TRY(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
    TRY(MPI_File_write_at_all_begin(file, (MPI_Offset)rank * sizeof out, out, N, MPI_INT));
    TRY(MPI_File_write_at_all_end(file, out, &status));
    CHECK_COUNT(status, MPI_INT, N);

    // The shared pointer, in the order of ranks.
    TRY(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
    TRY(MPI_File_write_ordered(file, out, 1, MPI_INT, &status));
    TRY(MPI_File_get_position_shared(file, &displacement));
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    CHECK_INT(displacement, size * sizeof(int));

    // Bytes outside of the program's memory are refused, and so is a file outside of what was granted.
    FAILS(MPI_File_write(file, (void *)-16L, N, MPI_INT, &status), MPI_ERR_BUFFER);
    TRY(MPI_File_close(&file));
    CHECK(file == MPI_FILE_NULL);
    FAILS(MPI_File_get_size(file, &bytes), MPI_ERR_FILE);
    FAILS(MPI_File_open(MPI_COMM_SELF, "/etc/passwd", MPI_MODE_RDONLY, MPI_INFO_NULL, &file), MPI_ERR_ACCESS);
    FAILS(MPI_File_open(MPI_COMM_SELF, "/tmp/../etc/passwd", MPI_MODE_RDONLY, MPI_INFO_NULL, &file), MPI_ERR_ACCESS);
    FAILS(MPI_File_delete("/etc/rankine-none", MPI_INFO_NULL), MPI_ERR_ACCESS);
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 0)
        TRY(MPI_File_delete(name, MPI_INFO_NULL));
    return check_end();
}
