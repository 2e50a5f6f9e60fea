// long double in windows, which is an IEEE quad and not an MPI library's: moved and replaced whole, alone and in pairs. The embedded
// engine computes with it; over a library that is refused. So is, everywhere, what accumulates elements of several types.
// ranks: 1 2
// native: no (a long double is the library's there)
#include "../check.h"

typedef struct {
    long double value;
    int index;
} Pair;

static MPI_Win win;
static int to;

static void numbers(long double *base)
{
    long double mine = 1.0L / 3 + rank, got = 0;
    TRY(MPI_Win_fence(0, win));
    TRY(MPI_Accumulate(&mine, 1, MPI_LONG_DOUBLE, to, 1, 1, MPI_LONG_DOUBLE, MPI_REPLACE, win));
    TRY(MPI_Win_fence(0, win));
    TRY(MPI_Fetch_and_op(NULL, &got, MPI_LONG_DOUBLE, to, 1, MPI_NO_OP, win));
    TRY(MPI_Win_fence(0, win));
    CHECK(got == mine);
    CHECK(base[1] == 1.0L / 3 + (rank + size - 1) % size);
    if (!embedded()) {
        FAILS(MPI_Accumulate(&mine, 1, MPI_LONG_DOUBLE, to, 1, 1, MPI_LONG_DOUBLE, MPI_SUM, win), MPI_ERR_OP);
        FAILS(MPI_Fetch_and_op(&mine, &got, MPI_LONG_DOUBLE, to, 1, MPI_SUM, win), MPI_ERR_OP);
        return;
    }
    TRY(MPI_Win_fence(0, win));
    TRY(MPI_Accumulate(&mine, 1, MPI_LONG_DOUBLE, to, 1, 1, MPI_LONG_DOUBLE, MPI_SUM, win));
    TRY(MPI_Fetch_and_op(&mine, &got, MPI_LONG_DOUBLE, to, 1, MPI_SUM, win));
    TRY(MPI_Win_fence(0, win));
    CHECK(got == mine + mine);
    long double theirs = 1.0L / 3 + (rank + size - 1) % size;
    CHECK(base[1] == theirs + theirs + theirs);
}

static void pairs(Pair *base)
{
    Pair mine[2] = {{2.0L / 3, rank}, {-1.0L / 7, -rank}}, got[2] = {{0, 0}, {0, 0}};
    int before = (rank + size - 1) % size;
    TRY(MPI_Win_fence(0, win));
    TRY(MPI_Accumulate(mine, 2, MPI_LONG_DOUBLE_INT, to, 2, 2, MPI_LONG_DOUBLE_INT, MPI_REPLACE, win));
    TRY(MPI_Win_fence(0, win));
    TRY(MPI_Get_accumulate(NULL, 0, MPI_DATATYPE_NULL, got, 2, MPI_LONG_DOUBLE_INT, to, 2, 2, MPI_LONG_DOUBLE_INT,
                           MPI_NO_OP, win));
    TRY(MPI_Win_fence(0, win));
    CHECK(got[0].value == mine[0].value && got[0].index == rank);
    CHECK(got[1].value == mine[1].value && got[1].index == -rank);
    CHECK(base[1].value == 2.0L / 3 && base[1].index == before);
    TRY(MPI_Win_fence(0, win)); /* everybody has looked */
    TRY(MPI_Fetch_and_op(&mine[1], &got[0], MPI_LONG_DOUBLE_INT, to, 2, MPI_REPLACE, win));
    TRY(MPI_Win_fence(0, win));
    CHECK(got[0].value == mine[0].value && got[0].index == rank);
    CHECK(base[1].value == -1.0L / 7 && base[1].index == -before);
    if (!embedded()) {
        FAILS(MPI_Accumulate(mine, 1, MPI_LONG_DOUBLE_INT, to, 2, 1, MPI_LONG_DOUBLE_INT, MPI_MAXLOC, win), MPI_ERR_OP);
        return;
    }
    TRY(MPI_Win_fence(0, win));
    TRY(MPI_Accumulate(mine, 1, MPI_LONG_DOUBLE_INT, to, 2, 1, MPI_LONG_DOUBLE_INT, MPI_MAXLOC, win));
    TRY(MPI_Win_fence(0, win));
    CHECK(base[1].value == 2.0L / 3 && base[1].index == before);
    TRY(MPI_Win_fence(0, win));
}

static void made_types(void)
{
    MPI_Datatype of_pairs, mixed, types[2] = {MPI_DOUBLE, MPI_INT};
    int lengths[2] = {1, 1};
    MPI_Aint displs[2] = {0, 8};
    char bytes[64] = {0};
    TRY(MPI_Type_contiguous(2, MPI_LONG_DOUBLE_INT, &of_pairs));
    TRY(MPI_Type_commit(&of_pairs));
    if (embedded())
        TRY(MPI_Accumulate(bytes, 1, of_pairs, to, 0, 1, of_pairs, MPI_REPLACE, win));
    else
        FAILS(MPI_Accumulate(bytes, 1, of_pairs, to, 0, 1, of_pairs, MPI_REPLACE, win), MPI_ERR_TYPE);
    TRY(MPI_Type_create_struct(2, lengths, displs, types, &mixed));
    TRY(MPI_Type_commit(&mixed));
    FAILS(MPI_Accumulate(bytes, 1, mixed, to, 0, 1, mixed, MPI_REPLACE, win), MPI_ERR_TYPE);
    TRY(MPI_Type_free(&of_pairs));
    TRY(MPI_Type_free(&mixed));
}

int main(int argc, char **argv)
{
    void *base = NULL;
    check_begin(&argc, &argv);
    to = (rank + 1) % size;
    TRY(MPI_Win_allocate(8 * sizeof(long double), sizeof(long double), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    memset(base, 0, 8 * sizeof(long double));
    numbers(base);
    pairs(base);
    made_types();
    TRY(MPI_Win_fence(0, win));
    TRY(MPI_Win_free(&win));
    return check_end();
}
