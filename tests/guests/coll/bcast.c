// MPI_Bcast: from every root, of every size, of a type with holes, of nothing.
// large: yes
#include "../check.h"

enum { LARGEST = 100000 };
static int data[LARGEST + 1];

int main(int argc, char **argv)
{
    static const int counts[] = {0, 1, 3, 64, 1000, 20001, LARGEST};
    MPI_Datatype every_third;
    check_begin(&argc, &argv);
    for (int root = 0; root < size; root++)
        for (unsigned c = 0; c < sizeof counts / sizeof *counts; c++) {
            int count = counts[c];
            for (int i = 0; i < count; i++)
                data[i] = rank == root ? root * 7 + i : -1;
            data[count] = -99;
            TRY(MPI_Bcast(data, count, MPI_INT, root, MPI_COMM_WORLD));
            for (int i = 0; i < count; i++)
                CHECK_INT(data[i], root * 7 + i);
            CHECK_INT(data[count], -99);
        }
    // The root sends them from every third place, the others receive them side by side, and the other way round.
    TRY(MPI_Type_vector(50, 1, 3, MPI_INT, &every_third));
    TRY(MPI_Type_commit(&every_third));
    for (int turn = 0; turn < 2; turn++) {
        int spread = (rank == 0) == (turn == 0);
        for (int i = 0; i < 150; i++)
            data[i] = rank == 0 ? (spread ? i : 3 * i) : -1;
        TRY(MPI_Bcast(data, spread ? 1 : 50, spread ? every_third : MPI_INT, 0, MPI_COMM_WORLD));
        for (int i = 0; i < 50; i++)
            CHECK_INT(data[spread ? 3 * i : i], 3 * i);
        if (spread && rank != 0)
            CHECK_INT(data[1], -1);
    }
    TRY(MPI_Type_free(&every_third));
    // Many in a row, with nothing between: none overtakes another.
    for (int round = 0; round < 100; round++) {
        int value = rank == round % size ? round : -1;
        TRY(MPI_Bcast(&value, 1, MPI_INT, round % size, MPI_COMM_WORLD));
        CHECK_INT(value, round);
    }
    FAILS(MPI_Bcast(data, 1, MPI_INT, size, MPI_COMM_WORLD), MPI_ERR_ROOT);
    FAILS(MPI_Bcast(data, 1, MPI_INT, -1, MPI_COMM_WORLD), MPI_ERR_ROOT);
    FAILS(MPI_Bcast(data, -1, MPI_INT, 0, MPI_COMM_WORLD), MPI_ERR_COUNT);
    FAILS(MPI_Bcast(data, 1, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD), MPI_ERR_TYPE);
    return check_end();
}
