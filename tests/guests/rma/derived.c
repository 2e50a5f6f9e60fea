// Derived types at both ends of MPI_Put, MPI_Get and MPI_Accumulate: structs with holes, transposed matrices, negative offsets, several elements.
// ranks: 1 2 3
// large: yes
#include "../check.h"
#include <stddef.h>

enum { ROWS = 6, COLUMNS = 5 };

static int to, from;

static void transposed(void)
{
    int mine[ROWS][COLUMNS], (*window)[ROWS];
    MPI_Datatype column, by_columns;
    MPI_Win win;
    TRY(MPI_Type_vector(COLUMNS, 1, ROWS, MPI_INT, &column));
    TRY(MPI_Type_create_resized(column, 0, sizeof(int), &by_columns));
    TRY(MPI_Type_commit(&by_columns));
    TRY(MPI_Win_allocate(sizeof mine, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window, &win));
    for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < COLUMNS; k++)
            mine[i][k] = 1000 * rank + 10 * i + k;
    TRY(MPI_Win_fence(0, win));
    TRY(MPI_Put(mine, ROWS * COLUMNS, MPI_INT, to, 0, ROWS, by_columns, win));
    TRY(MPI_Win_fence(0, win));
    for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < COLUMNS; k++)
            CHECK_INT(window[k][i], 1000 * from + 10 * i + k);
    int back[ROWS][COLUMNS];
    TRY(MPI_Get(back, ROWS * COLUMNS, MPI_INT, to, 0, ROWS, by_columns, win));
    TRY(MPI_Win_fence(0, win));
    CHECK_BYTES(back, mine, sizeof mine);
    TRY(MPI_Win_fence(0, win));
    TRY(MPI_Accumulate(mine, ROWS * COLUMNS, MPI_INT, to, 0, ROWS, by_columns, MPI_SUM, win));
    TRY(MPI_Win_fence(0, win));
    for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < COLUMNS; k++)
            CHECK_INT(window[k][i], 2 * (1000 * from + 10 * i + k));
    TRY(MPI_Win_free(&win));
    TRY(MPI_Type_free(&column));
    TRY(MPI_Type_free(&by_columns));
}

typedef struct {
    char tag;
    double values[2];
    short last;
} Cell;

static void structs_with_holes(void)
{
    Cell mine[4], window[4];
    MPI_Datatype packed, cell, types[3] = {MPI_CHAR, MPI_DOUBLE, MPI_SHORT};
    MPI_Aint displs[3] = {offsetof(Cell, tag), offsetof(Cell, values), offsetof(Cell, last)};
    MPI_Win win;
    TRY(MPI_Type_create_struct(3, (count_t[]){1, 2, 1}, (aint_t[]){displs[0], displs[1], displs[2]}, types, &packed));
    TRY(MPI_Type_create_resized(packed, 0, sizeof(Cell), &cell));
    TRY(MPI_Type_commit(&cell));
    memset(mine, 0x11, sizeof mine);
    memset(window, 0x22, sizeof window);
    for (int i = 0; i < 4; i++)
        mine[i].tag = 'a' + i, mine[i].values[0] = i + rank, mine[i].values[1] = -i, mine[i].last = 100 * rank + i;
    TRY(MPI_Win_create(window, sizeof window, sizeof(Cell), MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    TRY(MPI_Win_fence(0, win));
    TRY(MPI_Put(mine, 3, cell, to, 1, 3, cell, win));
    TRY(MPI_Win_fence(0, win));
    for (int i = 0; i < 3; i++) {
        CHECK_INT(window[i + 1].tag, 'a' + i);
        CHECK_REAL(window[i + 1].values[0], i + from);
        CHECK_REAL(window[i + 1].values[1], -i);
        CHECK_INT(window[i + 1].last, 100 * from + i);
        /* What lies between the members is not the type's. */
        CHECK_INT(((unsigned char *)&window[i + 1])[1], 0x22);
    }
    CHECK_INT(((unsigned char *)window)[0], 0x22);
    TRY(MPI_Win_free(&win));
    TRY(MPI_Type_free(&packed));
    TRY(MPI_Type_free(&cell));
}

static void offsets_below_the_address(void)
{
    int window[16], mine[3] = {rank + 1, rank + 2, rank + 3};
    MPI_Datatype around;
    MPI_Win win;
    for (int i = 0; i < 16; i++)
        window[i] = -1;
    TRY(MPI_Type_indexed(3, (count_t[]){1, 1, 1}, (count_t[]){-3, 2, 0}, MPI_INT, &around));
    TRY(MPI_Type_commit(&around));
    TRY(MPI_Win_create(window, sizeof window, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    TRY(MPI_Win_fence(0, win));
    TRY(MPI_Put(mine, 3, MPI_INT, to, 5, 1, around, win));
    TRY(MPI_Win_fence(0, win));
    CHECK_INT(window[2], from + 1);
    CHECK_INT(window[7], from + 2);
    CHECK_INT(window[5], from + 3);
    CHECK_INT(window[3], -1);
    TRY(MPI_Win_free(&win));
    TRY(MPI_Type_free(&around));
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    to = (rank + 1) % size, from = (rank + size - 1) % size;
    transposed();
    structs_with_holes();
    offsets_below_the_address();
    return check_end();
}
