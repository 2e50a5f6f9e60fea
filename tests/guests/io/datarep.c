// MPI_Register_datarep: the program's own functions convert what it writes and reads, also without waiting and together.
// engines: local
// ranks: 1 2 4
// large: yes
// native: no (the file lies where the harness has granted a folder)
// run: --dir {scratch}::/tmp
#include "../check.h"
#include "../own_number.h"

enum { N = 100 };

static int state, reads, writes;

/* In the file every int is a negated long long. */
static int extent(MPI_Datatype datatype, MPI_Aint *bytes, void *extra)
{
    if (extra != &state || (datatype != MPI_INT && datatype != MPI_BYTE))
        return MPI_ERR_TYPE;
    *bytes = datatype == MPI_INT ? 8 : 1;
    return MPI_SUCCESS;
}

static int to_file(void *user, MPI_Datatype datatype, count_t count, void *file, MPI_Offset position, void *extra)
{
    const int *from = (const int *)user + position;
    if (extra != &state || datatype != MPI_INT)
        return MPI_ERR_TYPE;
    for (count_t n = 0; n < count; n++) {
        long long value = -from[n];
        memcpy((char *)file + 8 * n, &value, 8);
    }
    writes++;
    return MPI_SUCCESS;
}

static int from_file(void *user, MPI_Datatype datatype, count_t count, void *file, MPI_Offset position, void *extra)
{
    int *to = (int *)user + position;
    if (extra != &state || datatype != MPI_INT)
        return MPI_ERR_TYPE;
    for (count_t n = 0; n < count; n++) {
        long long value;
        memcpy(&value, (char *)file + 8 * n, 8);
        to[n] = -(int)value;
    }
    reads++;
    return MPI_SUCCESS;
}

static int fails(void *user, MPI_Datatype datatype, count_t count, void *file, MPI_Offset position, void *extra)
{
    (void)user, (void)datatype, (void)count, (void)file, (void)position, (void)extra;
    return MPI_ERR_CONVERSION;
}

int main(int argc, char **argv)
{
    int out[N], in[N], mark = 0;
    char name[64], shown[MPI_MAX_DATAREP_STRING];
    MPI_File file;
    MPI_Status status;
    MPI_Request request;
    MPI_Offset bytes = -1;
    MPI_Datatype etype, filetype, columns;
    aint_t length = -1;
    check_begin(&argc, &argv);
    mark = own_number();
    snprintf(name, sizeof name, "/tmp/rankine-datarep-%d-%d-%d", size, (int)sizeof(count_t), mark);
    for (int n = 0; n < N; n++)
        out[n] = 1000 * rank + n;
    TRY(MPI_Register_datarep("negated", from_file, to_file, extent, &state));
    FAILS(MPI_Register_datarep("negated", from_file, to_file, extent, &state), MPI_ERR_DUP_DATAREP);
    FAILS(MPI_Register_datarep("native", from_file, to_file, extent, &state), MPI_ERR_DUP_DATAREP);
    FAILS(MPI_Register_datarep("", from_file, to_file, extent, &state), MPI_ERR_ARG);
    TRY(MPI_Register_datarep("failing", fails, fails, extent, &state));
    TRY(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file));
    FAILS(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "unknown", MPI_INFO_NULL), MPI_ERR_UNSUPPORTED_DATAREP);

    // Each rank has every size-th int.
    TRY(MPI_Type_vector(N, 1, size, MPI_INT, &columns));
    TRY(MPI_Type_commit(&columns));
    TRY(MPI_File_set_view(file, 8 * rank, MPI_INT, columns, "negated", MPI_INFO_NULL));
    TRY(MPI_File_get_type_extent(file, MPI_INT, &length));
    CHECK_INT(length, 8);
    TRY(MPI_File_get_view(file, &bytes, &etype, &filetype, shown));
    CHECK_STR(shown, "negated");
    TRY(MPI_Type_free(&filetype));
    TRY(MPI_File_write_all(file, out, N, MPI_INT, &status));
    CHECK_COUNT(status, MPI_INT, N);
    TRY(MPI_File_sync(file));
    TRY(MPI_File_get_size(file, &bytes));
    CHECK_INT(bytes, 8 * N * size);
    TRY(MPI_File_iread_at(file, 1, in, N - 1, MPI_INT, &request));
    TRY(MPI_Wait(&request, &status));
    CHECK_COUNT(status, MPI_INT, N - 1);
    for (int n = 0; n < N - 1; n++)
        CHECK_INT(in[n], out[n + 1]);
    TRY(MPI_File_iread_at_all(file, 0, in, N, MPI_INT, &request));
    TRY(MPI_Wait(&request, &status));
    for (int n = 0; n < N; n++)
        CHECK_INT(in[n], out[n]);
    CHECK_INT(writes, 1);
    CHECK_INT(reads, 2);
    FAILS(MPI_File_write_at(file, 0, out, 1, MPI_DOUBLE, &status), MPI_ERR_CONVERSION);

    // What is there in the file.
    long long raw = 0;
    TRY(MPI_File_set_view(file, 0, MPI_LONG_LONG, MPI_LONG_LONG, "native", MPI_INFO_NULL));
    TRY(MPI_File_read_at(file, size + rank, &raw, 1, MPI_LONG_LONG, &status));
    CHECK_INT((int)raw, -out[1]);
    TRY(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "failing", MPI_INFO_NULL));
    FAILS(MPI_File_write_at(file, 0, out, 1, MPI_INT, &status), MPI_ERR_CONVERSION);
    FAILS(MPI_File_read_at_all(file, 0, in, 1, MPI_INT, &status), MPI_ERR_CONVERSION);
    TRY(MPI_Type_free(&columns));
    TRY(MPI_File_close(&file));
    return check_end();
}
