// Views of types whose pieces overlap, or whose elements reach into the next ones: they are refused, or what is read through them arrives, and
// nobody writes beyond an array or goes round for ever.
// ranks: 1 2
// run: --dir {scratch}::/tmp
// native: no (ROMIO does both)
#include "hostile.h"
#include "../guests/own_number.h"

enum { KINDS = 12, GOOD = 3, INTS = 256 };

static void make(int kind, MPI_Datatype *made)
{
    MPI_Datatype inner = MPI_INT;
    switch (kind) {
    case 0: TRY(MPI_Type_vector(4, 2, 3, MPI_INT, made)); break;
    case 1: TRY(MPI_Type_indexed(3, (int[]){2, 0, 1}, (int[]){0, 40, 5}, MPI_INT, made)); break;
    case 2: TRY(MPI_Type_create_struct(2, (int[]){1, 2}, (MPI_Aint[]){0, 16}, (MPI_Datatype[]){MPI_INT, MPI_INT}, made)); break;
    // Within an element.
    case 3: TRY(MPI_Type_indexed(3, (int[]){4, 4, 4}, (int[]){0, 2, 4}, MPI_INT, made)); break;
    case 4: TRY(MPI_Type_vector(8, 4, 1, MPI_INT, made)); break;
    case 5: TRY(MPI_Type_create_hindexed(2, (int[]){1, 1}, (MPI_Aint[]){0, 2}, MPI_INT, made)); break;
    case 6: TRY(MPI_Type_indexed(2, (int[]){1, 1}, (int[]){4, 0}, MPI_INT, made)); break;
    case 7: TRY(MPI_Type_create_struct(2, (int[]){2, 1}, (MPI_Aint[]){0, 4}, (MPI_Datatype[]){MPI_INT, MPI_DOUBLE}, made)); break;
    // From one element to the next.
    case 8: TRY(MPI_Type_create_resized(MPI_INT, 0, 0, made)); break;
    case 9:
        TRY(MPI_Type_contiguous(4, MPI_INT, &inner));
        TRY(MPI_Type_create_resized(inner, 0, 4, made));
        break;
    case 10:
        TRY(MPI_Type_vector(2, 1, 2, MPI_INT, &inner));
        TRY(MPI_Type_create_resized(inner, 0, 4, made));
        break;
    default:
        TRY(MPI_Type_create_resized(MPI_INT, 0, 1, &inner));
        TRY(MPI_Type_contiguous(16, inner, made));
    }
    if (inner != MPI_INT)
        TRY(MPI_Type_free(&inner));
    TRY(MPI_Type_commit(made));
}

/* Whatever comes of it, it comes to an end. */
static void use(MPI_File file, MPI_Datatype holes, int writes)
{
    static int data[INTS];
    MPI_Status status;
    if (writes) {
        (void)MPI_File_write_at(file, rank, data, 9, MPI_INT, &status);
        (void)MPI_File_write_at(file, rank, data, 2, holes, &status);
        (void)MPI_File_write_at_all(file, rank * 16, data, 33, MPI_INT, &status);
    }
    (void)MPI_File_read_at(file, 1, data, 1, holes, &status);
    (void)MPI_File_read_at(file, 3, data, 21, MPI_INT, &status);
    (void)MPI_File_read_at_all(file, rank * 5, data, 64, MPI_INT, &status);
}

int main(int argc, char **argv)
{
    static int data[INTS];
    char name[64];
    hostile_begin(&argc, &argv);
    snprintf(name, sizeof name, "/tmp/rankine-tiles-%d-%d", size, own_number());
    MPI_Datatype holes;
    TRY(MPI_Type_vector(32, 1, 2, MPI_INT, &holes));
    TRY(MPI_Type_commit(&holes));
    for (int writes = 1; writes >= 0; writes--)
        for (int kind = 0; kind < KINDS; kind++) {
            MPI_File file;
            MPI_Datatype type;
            make(kind, &type);
            TRY(MPI_File_open(MPI_COMM_WORLD, name, writes ? MPI_MODE_RDWR | MPI_MODE_CREATE : MPI_MODE_RDONLY, MPI_INFO_NULL, &file));
            if (writes)
                TRY(MPI_File_write_at_all(file, rank * sizeof data, data, INTS, MPI_INT, MPI_STATUS_IGNORE));
            int outcome = MPI_File_set_view(file, 0, MPI_INT, type, "native", MPI_INFO_NULL);
            if (kind < GOOD)
                CHECK_INT(outcome, MPI_SUCCESS);
            if (outcome == MPI_SUCCESS)
                use(file, holes, writes);
            if (MPI_File_set_view(file, 0, type, type, "native", MPI_INFO_NULL) == MPI_SUCCESS)
                use(file, holes, writes);
            TRY(MPI_File_close(&file));
            TRY(MPI_Type_free(&type));
        }
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 0)
        TRY(MPI_File_delete(name, MPI_INFO_NULL));
    TRY(MPI_Type_free(&holes));
    return hostile_end();
}
