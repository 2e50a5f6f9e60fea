// MPI_Type_get_value_index: the pair type of a value and an index, for MPI_MINLOC and MPI_MAXLOC.
// ranks: 1 2 3
#include "../check.h"

int main(int argc, char **argv)
{
    struct {
        double value;
        int index;
    } mine, best;
    MPI_Datatype pair = MPI_DATATYPE_NULL;
    check_begin(&argc, &argv);
    TRY(MPI_Type_get_value_index(MPI_DOUBLE, MPI_INT, &pair));
    CHECK(pair == MPI_DOUBLE_INT);
    TRY(MPI_Type_get_value_index(MPI_INT, MPI_INT, &pair));
    CHECK(pair == MPI_2INT);
    TRY(MPI_Type_get_value_index(MPI_FLOAT, MPI_INT, &pair));
    CHECK(pair == MPI_FLOAT_INT);
    mine.value = rank == size - 1 ? -5 : rank;
    mine.index = rank;
    TRY(MPI_Type_get_value_index(MPI_DOUBLE, MPI_INT, &pair));
    TRY(MPI_Allreduce(&mine, &best, 1, pair, MPI_MINLOC, MPI_COMM_WORLD));
    CHECK_REAL(best.value, -5);
    CHECK_INT(best.index, size - 1);
    // What has no pair type gives the null handle.
    TRY(MPI_Type_get_value_index(MPI_CHAR, MPI_CHAR, &pair));
    CHECK(pair == MPI_DATATYPE_NULL);
    return check_end();
}
