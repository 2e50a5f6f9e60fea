// Functions that convert a file's data close the file, free its types, register more, or write to it again, in the midst of an access.
// engines: local
// ranks: 1 2
// run: --dir {scratch}::/tmp
#include "hostile.h"
#include "../guests/own_number.h"

static MPI_File file;
static MPI_Datatype filetype, buffer_type;
static int trick, depth;

static int extent(MPI_Datatype datatype, MPI_Aint *bytes, void *extra)
{
    (void)extra;
    if (trick == 1)
        MPI_Register_datarep("more", NULL, NULL, extent, NULL);
    if (trick == 2)
        *bytes = INT32_MAX;
    else
        *bytes = datatype == MPI_INT ? 4 : 1;
    return MPI_SUCCESS;
}

static int convert(void *user, MPI_Datatype datatype, int count, void *filebuf, MPI_Offset position, void *extra)
{
    (void)user, (void)datatype, (void)count, (void)filebuf, (void)position, (void)extra;
    if (depth++ > 3)
        return MPI_SUCCESS;
    switch (trick) {
    case 3:
        MPI_Type_free(&filetype);
        MPI_Type_free(&buffer_type);
        break;
    case 4:
        return MPI_File_write_at(file, 0, user, 1, MPI_INT, MPI_STATUS_IGNORE);
    case 5: {
        MPI_File same = file;
        MPI_File_close(&same);
        break;
    }
    case 6:
        return 12345;
    }
    return MPI_SUCCESS;
}

static void view(const char *datarep)
{
    TRY(MPI_Type_vector(100, 1, 2, MPI_INT, &filetype));
    TRY(MPI_Type_commit(&filetype));
    TRY(MPI_Type_contiguous(10, MPI_INT, &buffer_type));
    TRY(MPI_Type_commit(&buffer_type));
    TRY(MPI_File_set_view(file, 0, MPI_INT, filetype, datarep, MPI_INFO_NULL));
}

int main(int argc, char **argv)
{
    int data[100] = {0};
    char name[64];
    MPI_Request request;
    hostile_begin(&argc, &argv);
    snprintf(name, sizeof name, "/tmp/rankine-callback-%d-%d-%d", rank, size, own_number());
    TRY(MPI_Register_datarep("mine", convert, convert, extent, NULL));
    TRY(MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file));
    trick = 1;
    view("mine");
    trick = 2;
    REFUSED(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "mine", MPI_INFO_NULL));
    for (trick = 3; trick < 7; trick++) {
        depth = 0;
        if (trick > 3)
            view("mine");
        MPI_File_write_at(file, 0, data, 10, buffer_type, MPI_STATUS_IGNORE);
        depth = 0;
        if (MPI_File_iread_at(file, 0, data, 100, MPI_INT, &request) == MPI_SUCCESS)
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (trick == 5) {
            MPI_Offset bytes;
            FAILS(MPI_File_get_size(file, &bytes), MPI_ERR_FILE);
            TRY(MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file));
        }
    }
    TRY(MPI_File_close(&file));
    return hostile_end();
}
