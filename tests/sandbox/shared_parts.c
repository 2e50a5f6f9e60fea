// Shared windows of sizes that no memory has, whose memory the program gives away or maps over and over, whose ranks ask for parts of others
// that are none: an error, or a rank's own loss.
// engines: local
// ranks: 1 2 4
#include "hostile.h"

static MPI_Win window;
static char *base;

static int allocate(MPI_Aint bytes, int unit)
{
    int code = MPI_Win_allocate_shared(bytes, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window);
    if (code == MPI_SUCCESS)
        TRY(MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN));
    return code;
}

/* A window that is as it should be: what each rank stores all others load. */
static void a_good_one(void)
{
    MPI_Aint bytes;
    int unit;
    int *theirs;
    TRY(allocate(sizeof(int) * 1000, sizeof(int)));
    for (int i = 0; i < 1000; i++)
        ((int *)base)[i] = 1000 * rank + i;
    TRY(MPI_Win_fence(0, window));
    for (int other = 0; other < size; other++) {
        TRY(MPI_Win_shared_query(window, other, &bytes, &unit, &theirs));
        CHECK_INT(bytes, 4000);
        for (int i = 0; i < 1000; i++)
            CHECK_INT(theirs[i], 1000 * other + i);
    }
    TRY(MPI_Win_fence(0, window));
    TRY(MPI_Win_free(&window));
}

static void sizes(void)
{
    static const MPI_Aint none[] = {-1, INT32_MIN, INT32_MAX, INT32_MAX - 4095};
    for (unsigned i = 0; i < sizeof none / sizeof *none; i++) {
        // Of one rank, of all but one, and of all.
        for (int way = 0; way < 3; way++) {
            int mine = way == 0 ? rank == 0 : way == 1 ? rank > 0 : 1;
            int code = allocate(mine ? none[i] : 64, 1);
            if (code == MPI_SUCCESS) {
                base[0] = 1;
                TRY(MPI_Win_free(&window));
            }
            // Two gigabytes may be had, less than nothing not.
            CHECK(code != MPI_SUCCESS || !mine || none[i] > 0);
        }
    }
    REFUSED(allocate(64, 0));
    REFUSED(allocate(64, -4));
    REFUSED(MPI_Win_allocate_shared(64, 1, MPI_INFO_NULL, MPI_COMM_NULL, &base, &window));
    REFUSED(MPI_Win_allocate_shared(64, 1, (MPI_Info)0x7fffff, MPI_COMM_WORLD, &base, &window));
    a_good_one();
}

static void queries(void)
{
    MPI_Aint bytes;
    int unit;
    void *where;
    TRY(allocate(rank == 0 ? 0 : 100, 1));
    REFUSED(MPI_Win_shared_query(window, size, &bytes, &unit, &where));
    REFUSED(MPI_Win_shared_query(window, INT32_MIN, &bytes, &unit, &where));
    REFUSED(MPI_Win_shared_query(window, 0, near_end(2), &unit, &where));
    REFUSED(MPI_Win_shared_query(window, 0, &bytes, &unit, near_end(3)));
    TRY(MPI_Win_shared_query(window, MPI_PROC_NULL, &bytes, &unit, &where));
    // Behind a part lies another's, or nothing.
    TRY(MPI_Win_lock_all(0, window));
    REFUSED(MPI_Put(&unit, 4, MPI_BYTE, 0, 0, 4, MPI_BYTE, window));
    REFUSED(MPI_Put(&unit, 4, MPI_BYTE, size - 1, 97, 4, MPI_BYTE, window));
    REFUSED(MPI_Put(&unit, 4, MPI_BYTE, size - 1, -1, 4, MPI_BYTE, window));
    TRY(MPI_Win_unlock_all(window));
    TRY(MPI_Win_free(&window));
    a_good_one();
}

/* The block behind the window is the program's own: it may free it, take it again, and lose what it had. */
static void given_away(void)
{
    enum { BYTES = 1 << 16, BLOCKS = 40 };
    char *blocks[BLOCKS];
    MPI_Win second;
    char *other;
    TRY(allocate(BYTES, 1));
    memset(base, 1, BYTES);
    // A second one, and its memory given to a third.
    TRY(MPI_Win_allocate_shared(BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &other, &second));
    memset(other, 2, BYTES);
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    TRY(MPI_Win_free(&window));
    for (int i = 0; i < BLOCKS; i++) {
        CHECK((blocks[i] = malloc(BYTES)) != NULL);
        memset(blocks[i], 3, BYTES);
    }
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; i < BYTES; i++)
        CHECK_INT(other[i], 2);
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    TRY(MPI_Win_free(&second));
    for (int i = 0; i < BLOCKS; i++) {
        CHECK_INT(blocks[i][BYTES - 1], 3);
        free(blocks[i]);
    }
    // The handle is gone, and so is what it stood for.
    REFUSED(MPI_Win_free(&second));
    REFUSED(MPI_Put(blocks, 4, MPI_BYTE, 0, 0, 4, MPI_BYTE, second));
    // Parts that are messages' buffers while they are written by hand.
    TRY(allocate(BYTES, 1));
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    for (int i = 0; i < 50; i++) {
        MPI_Sendrecv(base, BYTES, MPI_BYTE, next, 0, base, BYTES, MPI_BYTE, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        base[i] = (char)i;
    }
    TRY(MPI_Win_free(&window));
    a_good_one();
}

int main(int argc, char **argv)
{
    hostile_begin(&argc, &argv);
    sizes();
    queries();
    for (int i = 0; i < 10; i++)
        given_away();
    return hostile_end();
}
