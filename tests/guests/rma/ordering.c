// The order of accumulates of one origin at one place: reads and writes keep that of the calls, and others see no older value after a newer.
// ranks: 1 2 4 8
#include "../check.h"
#include <stddef.h>

enum { ROUNDS = 100, LONG = 600 };

/* Places in every rank's part: one for each origin, elements that the hardware updates and others, and one long piece. */
struct part {
    int64_t whole[8];
    double real[8];
    int64_t array[LONG];
};

static struct part *mine;
static MPI_Win win;

#define AT(field) ((MPI_Aint)offsetof(struct part, field))

/* Writes, then reads and writes again: each sees what the one before it has done, though nothing is flushed. */
static void own_place(MPI_Datatype type, MPI_Aint place, int is_real)
{
    int target = (rank + 1) % size;
    MPI_Aint at = place + 8 * (MPI_Aint)rank;
    union { int64_t whole; double real; } new[ROUNDS], before[ROUNDS], swapped[ROUNDS], last;
    MPI_Request request;
    for (int i = 0; i < ROUNDS; i++) {
        memset(&before[i], -1, sizeof before[i]);
        memset(&swapped[i], -1, sizeof swapped[i]);
        if (is_real)
            new[i].real = 3 * i + 1;
        else
            new[i].whole = 3 * i + 1;
    }
    for (int i = 0; i < ROUNDS; i++) {
        // Write after write, read after write, write after read, read after read.
        TRY(MPI_Accumulate(&new[i], 1, type, target, at, 1, type, MPI_REPLACE, win));
        TRY(MPI_Accumulate(&new[i], 1, type, target, at, 1, type, MPI_SUM, win));
        TRY(MPI_Get_accumulate(NULL, 0, type, &before[i], 1, type, target, at, 1, type, MPI_NO_OP, win));
        TRY(MPI_Fetch_and_op(&new[0], &swapped[i], type, target, at, MPI_SUM, win));
        if (i % 2) {
            TRY(MPI_Raccumulate(&new[i], 1, type, target, at, 1, type, MPI_REPLACE, win, &request));
            TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
        } else {
            TRY(MPI_Accumulate(&new[i], 1, type, target, at, 1, type, MPI_REPLACE, win));
        }
    }
    TRY(MPI_Get_accumulate(NULL, 0, type, &last, 1, type, target, at, 1, type, MPI_NO_OP, win));
    TRY(MPI_Win_flush(target, win));
    for (int i = 0; i < ROUNDS; i++) {
        CHECK_REAL(is_real ? before[i].real : (double)before[i].whole, 2 * (3 * i + 1));
        CHECK_REAL(is_real ? swapped[i].real : (double)swapped[i].whole, 2 * (3 * i + 1));
    }
    CHECK_REAL(is_real ? last.real : (double)last.whole, 3 * (ROUNDS - 1) + 1);
}

/* Every rank writes growing numbers to its place of rank 0's part, and reads those of all: none ever becomes smaller. */
static void seen_by_others(void)
{
    int64_t seen[8] = {0}, now[8], number;
    for (int i = 1; i <= ROUNDS; i++) {
        number = i;
        TRY(MPI_Accumulate(&number, 1, MPI_INT64_T, 0, AT(whole) + 8 * (MPI_Aint)rank, 1, MPI_INT64_T, MPI_REPLACE, win));
        TRY(MPI_Get_accumulate(NULL, 0, MPI_INT64_T, now, size, MPI_INT64_T, 0, AT(whole), size, MPI_INT64_T, MPI_NO_OP, win));
        TRY(MPI_Win_flush(0, win));
        CHECK_INT(now[rank], i);
        for (int other = 0; other < size; other++) {
            CHECK(now[other] >= seen[other]);
            seen[other] = now[other];
        }
    }
}

/* The same for what lies in pieces of memory: replaced, doubled and read, element by element. */
static void long_pieces(void)
{
    static int64_t new[LONG], before[LONG], after[LONG];
    int target = (rank + size - 1) % size;
    MPI_Datatype every;
    TRY(MPI_Type_vector(LONG / 2, 1, 2, MPI_INT64_T, &every));
    TRY(MPI_Type_commit(&every));
    for (int round = 0; round < 5; round++) {
        for (int i = 0; i < LONG; i++)
            new[i] = 1000 * round + i;
        TRY(MPI_Accumulate(new, LONG, MPI_INT64_T, target, AT(array), LONG, MPI_INT64_T, MPI_REPLACE, win));
        TRY(MPI_Get_accumulate(new, 1, every, before, 1, every, target, AT(array), 1, every, MPI_SUM, win));
        TRY(MPI_Get_accumulate(NULL, 0, MPI_INT64_T, after, LONG, MPI_INT64_T, target, AT(array), LONG, MPI_INT64_T, MPI_NO_OP, win));
        TRY(MPI_Win_flush(target, win));
        for (int i = 0; i < LONG; i++) {
            CHECK_INT(before[i], i % 2 ? 0 : new[i]);
            CHECK_INT(after[i], i % 2 ? new[i] : 2 * new[i]);
        }
    }
    TRY(MPI_Type_free(&every));
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    TRY(MPI_Win_allocate(sizeof(struct part), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win));
    memset(mine, 0, sizeof *mine);
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    TRY(MPI_Win_lock_all(0, win));
    own_place(MPI_INT64_T, AT(whole), 0);
    own_place(MPI_DOUBLE, AT(real), 1);
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    long_pieces();
    // From here on the places hold the numbers of another loop.
    int64_t zero = 0;
    TRY(MPI_Accumulate(&zero, 1, MPI_INT64_T, 0, AT(whole) + 8 * (MPI_Aint)rank, 1, MPI_INT64_T, MPI_REPLACE, win));
    TRY(MPI_Win_flush(0, win));
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    seen_by_others();
    TRY(MPI_Win_unlock_all(win));
    TRY(MPI_Win_free(&win));
    return check_end();
}
