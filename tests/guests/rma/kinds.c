// Windows of each flavour: allocated by MPI, dynamic, and shared by a rank with itself (for more of them: shared.c).
// ranks: 1 2
// large: yes
#include "../check.h"
#include <unistd.h>

int main(int argc, char **argv)
{
    int *base = NULL, *flavor = NULL, flag = 0, value = 41, local[4] = {0};
    MPI_Win win;
    MPI_Aint bytes = -1, where, address;
    check_begin(&argc, &argv);
    int to = (rank + 1) % size;

    TRY(MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    CHECK(base != NULL);
    base[0] = 0;
    TRY(MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &flavor, &flag));
    CHECK(flag && *flavor == MPI_WIN_FLAVOR_ALLOCATE);
    void *shown = NULL;
    TRY(MPI_Win_get_attr(win, MPI_WIN_BASE, &shown, &flag));
    CHECK(flag && shown == base);
    TRY(MPI_Win_fence(0, win));
    TRY(MPI_Accumulate(&value, 1, MPI_INT, to, 0, 1, MPI_INT, MPI_SUM, win));
    TRY(MPI_Win_fence(0, win));
    CHECK_INT(base[0], 41);
    TRY(MPI_Win_free(&win));

    TRY(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    TRY(MPI_Win_attach(win, local, sizeof local));
    TRY(MPI_Get_address(local + 1, &address));
    TRY(MPI_Sendrecv(&address, 1, MPI_AINT, (rank + size - 1) % size, 0, &where, 1, MPI_AINT, to, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE));
    TRY(MPI_Win_fence(0, win));
    TRY(MPI_Put(&value, 1, MPI_INT, to, where, 1, MPI_INT, win));
    TRY(MPI_Win_fence(0, win));
    CHECK_INT(local[1], 41);
    TRY(MPI_Win_detach(win, local));
#ifdef __wasm__
    /* Addresses of the upper half of a memory are negative as numbers. */
    int *high = sbrk(0x7ff00000);
    high += 0x7fe00000 / sizeof *high;
    CHECK((int)high < 0);
    *high = 0;
    TRY(MPI_Win_attach(win, high, sizeof *high));
    TRY(MPI_Get_address(high, &address));
    TRY(MPI_Sendrecv(&address, 1, MPI_AINT, (rank + size - 1) % size, 0, &where, 1, MPI_AINT, to, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE));
    TRY(MPI_Win_fence(0, win));
    TRY(MPI_Put(&value, 1, MPI_INT, to, where, 1, MPI_INT, win));
    TRY(MPI_Win_fence(0, win));
    CHECK_INT(*high, 41);
    TRY(MPI_Win_detach(win, high));
#endif
    TRY(MPI_Win_free(&win));

    TRY(MPI_Win_allocate_shared(8, 1, MPI_INFO_NULL, MPI_COMM_SELF, &base, &win));
    void *mine = NULL;
#ifdef LARGE
    MPI_Aint unit = 0;
#else
    int unit = 0;
#endif
    TRY(MPI_Win_shared_query(win, 0, &bytes, &unit, &mine));
    CHECK_INT(bytes, 8);
    CHECK_INT(unit, 1);
    CHECK(mine == base);
    TRY(MPI_Win_free(&win));
    return check_end();
}
