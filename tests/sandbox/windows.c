// Windows past the end of memory, displacements and units whose product overflows, types that reach out of a part: each is refused at its
// origin, and nobody's memory changes.
// ranks: 1 2 4
#include "hostile.h"

enum { INTS = 8 };

static MPI_Win win;
static int to;

/* Every kind of access, to so many ints. */
static void refused(MPI_Aint disp, int count)
{
    int values[64] = {666}, result[64], zero = 0;
    MPI_Request request;
    FAILS(MPI_Put(values, count, MPI_INT, to, disp, count, MPI_INT, win), MPI_ERR_RMA_RANGE);
    FAILS(MPI_Put_c(values, count, MPI_INT, to, disp, count, MPI_INT, win), MPI_ERR_RMA_RANGE);
    FAILS(MPI_Get(result, count, MPI_INT, to, disp, count, MPI_INT, win), MPI_ERR_RMA_RANGE);
    FAILS(MPI_Accumulate(values, count, MPI_INT, to, disp, count, MPI_INT, MPI_SUM, win), MPI_ERR_RMA_RANGE);
    FAILS(MPI_Get_accumulate(values, count, MPI_INT, result, count, MPI_INT, to, disp, count, MPI_INT, MPI_SUM, win),
          MPI_ERR_RMA_RANGE);
    FAILS(MPI_Rget(result, count, MPI_INT, to, disp, count, MPI_INT, win, &request), MPI_ERR_RMA_RANGE);
    if (count > 1)
        return;
    FAILS(MPI_Fetch_and_op(values, result, MPI_INT, to, disp, MPI_SUM, win), MPI_ERR_RMA_RANGE);
    FAILS(MPI_Compare_and_swap(values, &zero, result, MPI_INT, to, disp, win), MPI_ERR_RMA_RANGE);
}

static void displacements(void)
{
    static struct {
        int before[16], part[INTS], after[16];
    } cells;
    MPI_Aint beyond[] = {INTS, -1, INT32_MAX, INT32_MIN, 1 << 30, 0x40000000 + 1, 1 << 29};
    int units[] = {4, 1, INT32_MAX, 1 << 20};
    for (unsigned u = 0; u < sizeof units / sizeof *units; u++) {
        TRY(MPI_Win_create(cells.part, sizeof cells.part, units[u], MPI_INFO_NULL, MPI_COMM_WORLD, &win));
        TRY(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
        TRY(MPI_Win_lock_all(0, win));
        for (unsigned i = 0; i < sizeof beyond / sizeof *beyond; i++)
            if (units[u] != 1 || beyond[i] != INTS)
                refused(beyond[i], 1);
        refused(0, INTS + 1);
        FAILS(MPI_Put(cells.before, 1, MPI_INT, to, 0, INT32_MAX, MPI_INT, win), MPI_ERR_RMA_RANGE);
        REFUSED(MPI_Put_c(cells.before, 1, MPI_INT, to, 0, INT64_MAX, MPI_INT, win));
        FAILS(MPI_Put(cells.before, 1, MPI_INT, to, 0, -1, MPI_INT, win), MPI_ERR_COUNT);
        FAILS(MPI_Put(cells.before, 1, MPI_INT, size, 0, 1, MPI_INT, win), MPI_ERR_RANK);
        FAILS(MPI_Put(cells.before, 1, MPI_INT, -77, 0, 1, MPI_INT, win), MPI_ERR_RANK);
        FAILS(MPI_Put(near_end(4), 2, MPI_INT, to, 0, 2, MPI_INT, win), MPI_ERR_BUFFER);
        /* Types that begin before the part, go backwards, end beyond it, or are longer than any memory. */
        MPI_Datatype below, back, far;
        TRY(MPI_Type_create_hindexed(2, (int[]){1, 1}, (MPI_Aint[]){0, -4}, MPI_INT, &below));
        TRY(MPI_Type_create_resized(MPI_INT, 0, -4, &back));
        TRY(MPI_Type_create_hvector_c(2, 1, 1LL << 40, MPI_INT, &far));
        TRY(MPI_Type_commit(&below));
        TRY(MPI_Type_commit(&back));
        TRY(MPI_Type_commit(&far));
        FAILS(MPI_Put(cells.before, 2, MPI_INT, to, 0, 1, below, win), MPI_ERR_RMA_RANGE);
        FAILS(MPI_Put(cells.before, 2, MPI_INT, to, 0, 2, back, win), MPI_ERR_RMA_RANGE);
        FAILS(MPI_Get(cells.before, 2, MPI_INT, to, 0, 1, far, win), MPI_ERR_RMA_RANGE);
        FAILS(MPI_Accumulate(cells.before, 2, MPI_INT, to, 0, 1, below, MPI_SUM, win), MPI_ERR_RMA_RANGE);
        TRY(MPI_Type_free(&below));
        TRY(MPI_Type_free(&back));
        TRY(MPI_Type_free(&far));
        TRY(MPI_Win_unlock_all(win));
        TRY(MPI_Win_free(&win));
    }
    for (int i = 0; i < 16; i++) {
        CHECK_INT(cells.before[i], 0);
        CHECK_INT(cells.after[i], 0);
    }
    for (int i = 0; i < INTS; i++)
        CHECK_INT(cells.part[i], 0);
}

int main(int argc, char **argv)
{
    int value = 0, *base, flag;
    hostile_begin(&argc, &argv);
    to = (rank + 1) % size;
    REFUSED(MPI_Win_create(near_end(16), 17, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    REFUSED(MPI_Win_create((void *)0xfffffff0, 0x7fffffff, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    REFUSED(MPI_Win_create(&value, -1, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    REFUSED(MPI_Win_create(&value, 4, 0, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    if (embedded()) {
        /* A memory of 4 GiB has not as much left; all ranks hear of it. */
        void *volatile most = malloc(3u << 30);
        CHECK(most);
        FAILS(MPI_Win_allocate(0x7fffff00, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win), MPI_ERR_NO_MEM);
        CHECK(win == MPI_WIN_NULL);
        free(most);
    }
    displacements();
    /* A window over the last bytes of the memory, which then grows. */
    TRY(MPI_Win_create(near_end(16), 16, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    TRY(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    CHECK(__builtin_wasm_memory_grow(0, 3) != (size_t)-1);
    TRY(MPI_Win_lock_all(0, win));
    refused(13, 1);
    refused(16, 1);
    TRY(MPI_Get(&value, 1, MPI_INT, to, 12, 1, MPI_INT, win));
    TRY(MPI_Win_unlock_all(win));
    /* Results where there is no memory, and handles that are none. */
    REFUSED(MPI_Win_get_attr(win, MPI_WIN_SIZE, (void *)0xfffffffe, &flag));
    REFUSED(MPI_Win_get_attr((MPI_Win)0x7eadbeef, MPI_WIN_SIZE, &base, &flag));
    REFUSED(MPI_Win_fence(0, (MPI_Win)0xb0000001));
    TRY(MPI_Win_free(&win));
    return hostile_end();
}
