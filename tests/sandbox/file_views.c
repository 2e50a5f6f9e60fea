// Views of no bytes, of types that lead before their beginning or come back, of parts of an element: a library would divide by them, or write
// where it must not.
// ranks: 1 2
// run: --dir {scratch}::/tmp
#include "hostile.h"
#include "../guests/own_number.h"

int main(int argc, char **argv)
{
    static int data[64];
    char name[64];
    MPI_File file;
    MPI_Datatype none, back, before, three, falls, behind;
    hostile_begin(&argc, &argv);
    snprintf(name, sizeof name, "/tmp/rankine-views-%d-%d", size, own_number());
    TRY(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file));
    TRY(MPI_Type_contiguous(0, MPI_INT, &none));
    TRY(MPI_Type_create_resized(MPI_INT, 0, -4, &back));
    TRY(MPI_Type_indexed(2, (int[]){1, 1}, (int[]){-8, 0}, MPI_INT, &before));
    TRY(MPI_Type_contiguous(3, MPI_INT, &three));
    TRY(MPI_Type_vector(3, 1, -2, MPI_INT, &falls));
    TRY(MPI_Type_create_hindexed(1, (int[]){1}, (MPI_Aint[]){-1}, MPI_INT, &behind));
    MPI_Datatype all[] = {none, back, before, three, falls, behind};
    for (int i = 0; i < 6; i++)
        TRY(MPI_Type_commit(&all[i]));
    const MPI_Datatype wrong[][2] = {
        {none, none}, {none, MPI_INT},   {MPI_INT, back},    {back, back},      {MPI_INT, before},
        {MPI_DOUBLE, MPI_INT}, {MPI_DOUBLE, three}, {MPI_INT, falls}, {MPI_INT, behind}, {three, MPI_INT},
    };
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        REFUSED(MPI_File_set_view(file, 0, wrong[i][0], wrong[i][1], "native", MPI_INFO_NULL));
        // It is as it was.
        TRY(MPI_File_write_at_all(file, rank * sizeof data, data, 64, MPI_INT, MPI_STATUS_IGNORE));
        TRY(MPI_File_read_at_all(file, 0, data, 64, MPI_INT, MPI_STATUS_IGNORE));
    }
    for (int i = 0; i < 6; i++)
        TRY(MPI_Type_free(&all[i]));
    TRY(MPI_File_close(&file));
    return hostile_end();
}
