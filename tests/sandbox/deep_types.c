// Types within types without end are refused, before anybody goes down there on a rank's stack.
// ranks: 1 2
// native: no (MPICH overflows its stack)
#include "hostile.h"

enum { DEEP = 60000 };

static int nest(int way, MPI_Datatype old, MPI_Datatype *made)
{
    switch (way) {
    case 0: return MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, 8}, (MPI_Datatype[]){old, MPI_CHAR}, made);
    case 1: return MPI_Type_dup(old, made);
    case 2: return MPI_Type_contiguous(1, old, made);
    case 3: return MPI_Type_create_resized(old, 0, 16, made);
    case 4: return MPI_Type_vector(1, 1, 1, old, made);
    case 5: return MPI_Type_create_hindexed_block(1, 1, (MPI_Aint[]){0}, old, made);
    default: return MPI_Type_create_subarray(1, (int[]){2}, (int[]){1}, (int[]){0}, MPI_ORDER_C, old, made);
    }
}

int main(int argc, char **argv)
{
    static char from[1 << 16], into[1 << 16];
    hostile_begin(&argc, &argv);
    for (int way = 0; way < 7; way++) {
        MPI_Datatype type = MPI_INT, next;
        int levels = 0;
        while (levels < DEEP && nest(way, type, &next) == MPI_SUCCESS) {
            if (type != MPI_INT)
                TRY(MPI_Type_free(&type));
            type = next;
            levels++;
        }
        CHECK(levels >= 8 && levels < DEEP);
        TRY(MPI_Type_commit(&type));
        if (way != 6)
            TRY(MPI_Sendrecv(from, 1, type, rank, 0, into, 1, type, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        TRY(MPI_Type_free(&type));
    }
    still_fine();
    return hostile_end();
}
