// The data representation "internal": what is written so is read so, also together and through views, by whoever opens the file later.
// ranks: 1 2 4
// native: no (the file lies where the harness has granted a folder)
// run: --dir {scratch}::/tmp
#include "../check.h"
#include "../own_number.h"

enum { N = 50 };

int main(int argc, char **argv)
{
    double out[N], in[N] = {0};
    char name[64], shown[MPI_MAX_DATAREP_STRING] = "";
    int mark = 0;
    MPI_Aint extent = -1;
    MPI_Offset displacement = -1;
    MPI_Datatype etype, filetype, every;
    MPI_File file;
    MPI_Status status;
    check_begin(&argc, &argv);
    mark = own_number();
    snprintf(name, sizeof name, "/tmp/rankine-internal-%d-%d", size, mark);
    for (int i = 0; i < N; i++)
        out[i] = 1000 * rank + i + .25;
    TRY(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file));
    TRY(MPI_Type_create_resized(MPI_DOUBLE, 0, (MPI_Aint)sizeof(double) * size, &every));
    TRY(MPI_Type_commit(&every));
    TRY(MPI_File_set_view(file, (MPI_Offset)sizeof(double) * rank, MPI_DOUBLE, every, "internal", MPI_INFO_NULL));
    TRY(MPI_File_get_view(file, &displacement, &etype, &filetype, shown));
    CHECK(etype == MPI_DOUBLE);
    // ROMIO takes it for "native", and says that.
    if (embedded())
        CHECK_STR(shown, "internal");
    TRY(MPI_Type_free(&filetype));
    TRY(MPI_File_get_type_extent(file, MPI_DOUBLE, &extent));
    CHECK(extent > 0);
    TRY(MPI_File_write_all(file, out, N, MPI_DOUBLE, &status));
    CHECK_COUNT(status, MPI_DOUBLE, N);
    TRY(MPI_File_close(&file));

    TRY(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDONLY | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file));
    TRY(MPI_File_set_view(file, (MPI_Offset)sizeof(double) * rank, MPI_DOUBLE, every, "internal", MPI_INFO_NULL));
    TRY(MPI_File_read_all(file, in, N, MPI_DOUBLE, &status));
    CHECK_COUNT(status, MPI_DOUBLE, N);
    for (int i = 0; i < N; i++)
        CHECK_REAL(in[i], out[i]);
    // The elements of another rank, in the order that the view says.
    TRY(MPI_File_set_view(file, 0, MPI_DOUBLE, MPI_DOUBLE, "internal", MPI_INFO_NULL));
    int other = (rank + 1) % size;
    TRY(MPI_File_read_at(file, 3 * size + other, in, 1, MPI_DOUBLE, &status));
    CHECK_REAL(in[0], 1000 * other + 3.25);
    TRY(MPI_Type_free(&every));
    TRY(MPI_File_close(&file));
    return check_end();
}
