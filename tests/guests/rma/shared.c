// MPI_Win_allocate_shared: what one rank stores another one loads, at the addresses that MPI_Win_shared_query gives. Ranks of
// several nodes share no memory.
// ranks: 1 2 3 4
// large: yes
#include "../check.h"
#include <stdlib.h>
#include <string.h>

#ifdef LARGE
typedef MPI_Aint unit_t;
#else
typedef int unit_t;
#endif

/* The ranks that share memory, of which `rank` and `size` are. */
static MPI_Comm node;

/* Rank r has r + 1 pages and a few ints, so that parts begin anywhere in a page. */
static int ints_of(int r) { return (r + 1) * 1024 + r; }

static int *part_of(MPI_Win win, int r, MPI_Aint bytes) {
    int *base = NULL;
    MPI_Aint size = -1;
    unit_t unit = -1;
    TRY(MPI_Win_shared_query(win, r, &size, &unit, &base));
    CHECK_INT(size, bytes);
    CHECK_INT(unit, (int)sizeof(int));
    return base;
}

/* Every rank writes a word of all parts, and sees what all others wrote. */
static void everybody_writes_everywhere(MPI_Win win) {
    TRY(MPI_Win_fence(0, win));
    for (int r = 0; r < size; r++) {
        int *part = part_of(win, r, ints_of(r) * sizeof(int));
        part[rank] = 100 * r + rank;
        if (rank == 0) part[ints_of(r) - 1] = -r;
    }
    TRY(MPI_Win_fence(0, win));
    for (int r = 0; r < size; r++) {
        const int *part = part_of(win, r, ints_of(r) * sizeof(int));
        for (int writer = 0; writer < size; writer++) CHECK_INT(part[writer], 100 * r + writer);
        CHECK_INT(part[ints_of(r) - 1], -r);
    }
    TRY(MPI_Win_fence(0, win));
}

/* One-sided operations and loads see the same memory. */
static void operations_are_seen_by_loads(MPI_Win win, int *mine) {
    int to = (rank + 1) % size, from = (rank + size - 1) % size, one = 1, before = -1, got = -1;
    mine[7] = 0;
    TRY(MPI_Win_fence(0, win));
    TRY(MPI_Put(&rank, 1, MPI_INT, to, 5, 1, MPI_INT, win));
    for (int r = 0; r < size; r++) TRY(MPI_Accumulate(&one, 1, MPI_INT, r, 7, 1, MPI_INT, MPI_SUM, win));
    TRY(MPI_Win_fence(0, win));
    CHECK_INT(mine[5], from);
    CHECK_INT(mine[7], size);
    CHECK_INT(part_of(win, to, ints_of(to) * sizeof(int))[5], rank);

    TRY(MPI_Barrier(node)); /* everybody has looked */

    TRY(MPI_Win_lock_all(0, win));
    TRY(MPI_Fetch_and_op(&one, &before, MPI_INT, 0, 7, MPI_SUM, win));
    TRY(MPI_Win_flush(0, win));
    CHECK(before >= size && before < 2 * size);
    TRY(MPI_Win_sync(win));
    TRY(MPI_Barrier(node));
    TRY(MPI_Win_sync(win));
    CHECK_INT(part_of(win, 0, ints_of(0) * sizeof(int))[7], 2 * size);
    TRY(MPI_Get(&got, 1, MPI_INT, to, 5, 1, MPI_INT, win));
    TRY(MPI_Win_unlock_all(win));
    CHECK_INT(got, rank);
#ifdef __wasm__
    FAILS(MPI_Put(&rank, 1, MPI_INT, to, ints_of(to), 1, MPI_INT, win), MPI_ERR_RMA_RANGE); /* libraries don't look */
#endif
}

/* Parts follow one another unless the program says that they need not. */
static void parts_follow_one_another(void) {
    int *base = NULL;
    MPI_Win win;
    MPI_Aint bytes = ints_of(rank) * (MPI_Aint)sizeof(int);
    TRY(MPI_Win_allocate_shared(bytes, sizeof(int), MPI_INFO_NULL, node, &base, &win));
    CHECK(base == part_of(win, rank, bytes));
    for (int r = 1; r < size; r++) {
        int *before = part_of(win, r - 1, ints_of(r - 1) * sizeof(int));
        CHECK(part_of(win, r, ints_of(r) * sizeof(int)) == before + ints_of(r - 1));
    }
    int *flavor = NULL, flag = 0;
    void *shown = NULL;
    TRY(MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &flavor, &flag));
    CHECK(flag && *flavor == MPI_WIN_FLAVOR_SHARED);
    TRY(MPI_Win_get_attr(win, MPI_WIN_BASE, &shown, &flag));
    CHECK(flag && shown == base);
    everybody_writes_everywhere(win);
    /* The memory stays shared while the program's grows. */
    char *grown = malloc(8 << 20);
    CHECK(grown != NULL);
    memset(grown, 1, 8 << 20);
    TRY(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    operations_are_seen_by_loads(win, base);
    free(grown);
    FAILS(MPI_Win_shared_query(win, size, &bytes, &(unit_t){0}, &base), MPI_ERR_RANK);
    TRY(MPI_Win_free(&win));
}

static void parts_that_lie_apart(void) {
    int *base = NULL;
    MPI_Win win;
    MPI_Info info;
    TRY(MPI_Info_create(&info));
    TRY(MPI_Info_set(info, "alloc_shared_noncontig", "true"));
    TRY(MPI_Win_allocate_shared(ints_of(rank) * sizeof(int), sizeof(int), info, node, &base, &win));
    TRY(MPI_Info_free(&info));
    everybody_writes_everywhere(win);
    TRY(MPI_Win_free(&win));
}

/* Only the last rank has memory: it is the one that MPI_PROC_NULL asks for. */
static void one_rank_has_it_all(void) {
    int *base = NULL, *found = NULL;
    MPI_Win win;
    MPI_Aint bytes = rank == size - 1 ? 64 : 0, got = -1;
    unit_t unit = -1;
    TRY(MPI_Win_allocate_shared(bytes, 4, MPI_INFO_NULL, node, &base, &win));
    TRY(MPI_Win_shared_query(win, MPI_PROC_NULL, &got, &unit, &found));
    CHECK_INT(got, 64);
    CHECK_INT(unit, 4);
    if (rank == size - 1) CHECK(found == base);
    TRY(MPI_Win_fence(0, win));
    if (rank == 0) found[3] = 33;
    TRY(MPI_Win_fence(0, win));
    CHECK_INT(found[3], 33);
    TRY(MPI_Win_free(&win));
}

/* What was shared is the program's own again: windows come and go, and blocks are nobody else's. */
static void memory_is_given_back(void) {
    for (int i = 0; i < 20; i++) {
        int *base = NULL;
        MPI_Win win;
        TRY(MPI_Win_allocate_shared(1 << 20, 1, MPI_INFO_NULL, node, &base, &win));
        *base = rank;
        TRY(MPI_Win_free(&win));
        int *block = malloc(size << 20);
        CHECK(block != NULL);
        for (int k = 0; k < size << 18; k += 512) block[k] = rank;
        TRY(MPI_Barrier(node));
        for (int k = 0; k < size << 18; k += 512) CHECK_INT(block[k], rank);
        free(block);
    }
}

int main(int argc, char **argv) {
    check_begin(&argc, &argv);
    int in_world = rank, of_world = size;
    TRY(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node));
    TRY(MPI_Comm_rank(node, &rank));
    TRY(MPI_Comm_size(node, &size));
    if (size < of_world) {
        MPI_Win win = MPI_WIN_NULL;
        int *base = NULL;
        FAILS(MPI_Win_allocate_shared(8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win), MPI_ERR_RMA_SHARED);
    }
    parts_follow_one_another();
    parts_that_lie_apart();
    one_rank_has_it_all();
    memory_is_given_back();
    TRY(MPI_Comm_free(&node));
    rank = in_world;
    size = of_world;
    return check_end();
}
