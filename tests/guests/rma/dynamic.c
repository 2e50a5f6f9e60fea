// Dynamic windows: many pieces of memory, attached and detached while others use the rest; types of absolute addresses; what is not attached.
// ranks: 1 2 4
#include "../check.h"

enum { PIECES = 50, INTS = 16 };

static MPI_Win win;

/* One element of a type that has an int in each of two pieces of the target. */
static void several_pieces_at_once(MPI_Aint *theirs, int to)
{
    MPI_Datatype pieces;
    static int values[2];
    values[0] = rank + 100, values[1] = rank + 200;
    TRY(MPI_Type_create_hindexed(2, (int[]){1, 1}, (MPI_Aint[]){theirs[3], theirs[7]}, MPI_INT, &pieces));
    TRY(MPI_Type_commit(&pieces));
    TRY(MPI_Put(values, 2, MPI_INT, to, 0, 1, pieces, win));
    TRY(MPI_Type_free(&pieces));
}

int main(int argc, char **argv)
{
    int *blocks[PIECES], values[PIECES];
    MPI_Aint mine[PIECES], theirs[PIECES];
    check_begin(&argc, &argv);
    int to = (rank + 1) % size, from = (rank + size - 1) % size;
    TRY(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    TRY(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    for (int i = 0; i < PIECES; i++) {
        blocks[i] = calloc(INTS, sizeof(int));
        TRY(MPI_Win_attach(win, blocks[i], INTS * sizeof(int)));
        TRY(MPI_Get_address(blocks[i], &mine[i]));
    }
    TRY(MPI_Sendrecv(mine, PIECES, MPI_AINT, from, 0, theirs, PIECES, MPI_AINT, to, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    TRY(MPI_Win_lock_all(0, win));
    for (int i = 0; i < PIECES; i++) {
        values[i] = 1000 * rank + i;
        TRY(MPI_Put(&values[i], 1, MPI_INT, to, MPI_Aint_add(theirs[i], 4), 1, MPI_INT, win));
        TRY(MPI_Accumulate(&values[i], 1, MPI_INT, to, MPI_Aint_add(theirs[i], 8), 1, MPI_INT, MPI_SUM, win));
    }
    if (embedded())
        several_pieces_at_once(theirs, to);
    TRY(MPI_Win_flush_all(win));
    TRY(MPI_Win_unlock_all(win));
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; i < PIECES; i++) {
        CHECK_INT(blocks[i][1], 1000 * from + i);
        CHECK_INT(blocks[i][2], 1000 * from + i);
    }
    if (embedded()) {
        CHECK_INT(blocks[3][0], from + 100);
        CHECK_INT(blocks[7][0], from + 200);
        FAILS(MPI_Win_attach(win, blocks[0], 4), MPI_ERR_RMA_ATTACH);
        FAILS(MPI_Win_attach(win, blocks[0] + 2, 4), MPI_ERR_RMA_ATTACH);
        FAILS(MPI_Win_attach(win, (void *)-0x100L, 0x1000), MPI_ERR_BUFFER);
        FAILS(MPI_Win_detach(win, blocks[0] + 1), MPI_ERR_RMA_ATTACH);
    }
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    /* Every second piece goes while the others are written to. */
    int value = rank;
    TRY(MPI_Win_lock_all(0, win));
    for (int i = 0; i < PIECES; i += 2) {
        TRY(MPI_Put(&value, 1, MPI_INT, to, theirs[i + 1], 1, MPI_INT, win));
        TRY(MPI_Win_detach(win, blocks[i]));
    }
    TRY(MPI_Win_unlock_all(win));
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 1; i < PIECES; i += 2)
        CHECK_INT(blocks[i][0], from);
    if (embedded()) {
        TRY(MPI_Win_lock_all(0, win));
        FAILS(MPI_Put(&value, 1, MPI_INT, to, theirs[0], 1, MPI_INT, win), MPI_ERR_RMA_RANGE);
        FAILS(MPI_Put(&value, 1, MPI_INT, to, MPI_Aint_add(theirs[1], INTS * sizeof(int)), 1, MPI_INT, win), MPI_ERR_RMA_RANGE);
        TRY(MPI_Win_unlock_all(win));
    }
    TRY(MPI_Win_free(&win));
    for (int i = 0; i < PIECES; i++)
        free(blocks[i]);
    return check_end();
}
