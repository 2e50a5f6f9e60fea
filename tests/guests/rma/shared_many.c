// Windows of shared memory among many ranks: a page each, apart from each other. Windows are made and freed again and
// again, more memory than a rank may have altogether, so what they had is given back each time.
// ranks: 64 256
// native: no (a process for each rank)
// engines: local
// run: --memory-limit 64M
// peak: 250
#include "../check.h"

enum { PAGE = 65536, ROUNDS = 40 };

static int *part_of(MPI_Win win, int r)
{
    int *base = NULL, unit = -1;
    MPI_Aint bytes = -1;
    TRY(MPI_Win_shared_query(win, r, &bytes, &unit, &base));
    CHECK_INT(bytes, PAGE);
    CHECK_INT(unit, (int)sizeof(int));
    return base;
}

/* Every rank writes into the part of another, as far away as there is one, and finds what was written into its own. */
static void exchange(MPI_Win win, const int *mine, int round)
{
    int to = (rank + size / 2) % size, from = (rank + size - size / 2) % size, last = PAGE / sizeof(int) - 1;
    int *there = part_of(win, to);
    CHECK(to == rank || there != mine);
    CHECK_INT(there[0], 0);
    CHECK_INT(there[last], 0);
    TRY(MPI_Win_fence(0, win));
    there[0] = 1000 * round + rank;
    there[last] = -rank;
    TRY(MPI_Win_fence(0, win));
    CHECK_INT(mine[0], 1000 * round + from);
    CHECK_INT(mine[last], -from);
    CHECK_INT(part_of(win, from)[last], -((from + size - size / 2) % size));
}

int main(int argc, char **argv)
{
    MPI_Info apart;
    check_begin(&argc, &argv);
    TRY(MPI_Info_create(&apart));
    TRY(MPI_Info_set(apart, "alloc_shared_noncontig", "true"));
    for (int round = 1; round <= ROUNDS; round++) {
        MPI_Win win;
        int *mine = NULL;
        TRY(MPI_Win_allocate_shared(PAGE, sizeof(int), apart, MPI_COMM_WORLD, &mine, &win));
        memset(mine, 0, PAGE);
        TRY(MPI_Win_fence(0, win));
        exchange(win, mine, round);
        TRY(MPI_Win_free(&win));
    }
    TRY(MPI_Info_free(&apart));
    return check_end();
}
