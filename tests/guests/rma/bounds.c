// Accesses beyond the target's part of a window are refused at their origin, and nothing of the target changes.
// ranks: 1 2
// native: no (an MPI library does not check)
#include "../check.h"

enum { N = 16 };

int main(int argc, char **argv)
{
    int part[N + 2], value = 7, result = -1;
    MPI_Win win;
    check_begin(&argc, &argv);
    for (int n = 0; n < N + 2; n++)
        part[n] = -1;
    // One int before and behind it belongs to the rank alone.
    TRY(MPI_Win_create(part + 1, N * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    TRY(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    int to = (rank + 1) % size;
    TRY(MPI_Win_fence(0, win));
    FAILS(MPI_Put(&value, 1, MPI_INT, to, N, 1, MPI_INT, win), MPI_ERR_RMA_RANGE);
    FAILS(MPI_Put(&value, 1, MPI_INT, to, -1, 1, MPI_INT, win), MPI_ERR_RMA_RANGE);
    FAILS(MPI_Get(&result, 1, MPI_INT, to, N, 1, MPI_INT, win), MPI_ERR_RMA_RANGE);
    FAILS(MPI_Accumulate(&value, 1, MPI_INT, to, N, 1, MPI_INT, MPI_SUM, win), MPI_ERR_RMA_RANGE);
    FAILS(MPI_Put(&value, 1, MPI_INT, to, 0, N + 1, MPI_INT, win), MPI_ERR_RMA_RANGE);
    FAILS(MPI_Put((void *)-16L, 64, MPI_INT, to, 0, 64, MPI_INT, win), MPI_ERR_BUFFER);
    // No elements of one type go into none of another.
    TRY(MPI_Accumulate(&value, 0, MPI_DOUBLE, to, 0, 0, MPI_INT, MPI_SUM, win));
    TRY(MPI_Get_accumulate(NULL, 0, MPI_INT, NULL, 0, MPI_DOUBLE, to, 0, 0, MPI_DOUBLE, MPI_SUM, win));
    TRY(MPI_Put(&value, 1, MPI_INT, to, N - 1, 1, MPI_INT, win));
    TRY(MPI_Win_fence(0, win));
    CHECK_INT(part[N], 7);
    CHECK_INT(part[0], -1);
    CHECK_INT(part[N + 1], -1);
    TRY(MPI_Win_free(&win));
    FAILS(MPI_Win_fence(0, win), MPI_ERR_WIN);
    return check_end();
}
