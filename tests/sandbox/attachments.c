// Accesses to memory that the target has not attached to a dynamic window, or not any more, or that it doesn't have.
// ranks: 2 3
#include "hostile.h"
#include <unistd.h>

static struct {
    int before[16], attached[16], more[16], after[16];
} cells;
static MPI_Win win;

/* Where something lies, and where it lies in rank 1. */
static MPI_Aint at(void *what)
{
    MPI_Aint address;
    TRY(MPI_Get_address(what, &address));
    TRY(MPI_Bcast(&address, 1, MPI_AINT, 1, MPI_COMM_WORLD));
    return address;
}

/* Every kind of access, to one int. */
static void refused(MPI_Aint where)
{
    int value = 666, result = 0, zero = 0;
    MPI_Request request;
    FAILS(MPI_Put(&value, 1, MPI_INT, 1, where, 1, MPI_INT, win), MPI_ERR_RMA_RANGE);
    FAILS(MPI_Get(&result, 1, MPI_INT, 1, where, 1, MPI_INT, win), MPI_ERR_RMA_RANGE);
    FAILS(MPI_Accumulate(&value, 1, MPI_INT, 1, where, 1, MPI_INT, MPI_SUM, win), MPI_ERR_RMA_RANGE);
    FAILS(MPI_Get_accumulate(&value, 1, MPI_INT, &result, 1, MPI_INT, 1, where, 1, MPI_INT, MPI_SUM, win), MPI_ERR_RMA_RANGE);
    FAILS(MPI_Fetch_and_op(&value, &result, MPI_INT, 1, where, MPI_SUM, win), MPI_ERR_RMA_RANGE);
    FAILS(MPI_Compare_and_swap(&value, &zero, &result, MPI_INT, 1, where, win), MPI_ERR_RMA_RANGE);
    FAILS(MPI_Rput(&value, 1, MPI_INT, 1, where, 1, MPI_INT, win, &request), MPI_ERR_RMA_RANGE);
    FAILS(MPI_Rget(&result, 1, MPI_INT, 1, where, 1, MPI_INT, win, &request), MPI_ERR_RMA_RANGE);
    FAILS(MPI_Raccumulate(&value, 1, MPI_INT, 1, where, 1, MPI_INT, MPI_SUM, win, &request), MPI_ERR_RMA_RANGE);
    FAILS(MPI_Put_c(&value, 1, MPI_INT, 1, where, 1, MPI_INT, win), MPI_ERR_RMA_RANGE);
}

/* Puts so many ints, all of which are attached. */
static void put(MPI_Aint where, int count)
{
    int values[64];
    for (int i = 0; i < count; i++)
        values[i] = 1000 + i;
    TRY(MPI_Put(values, count, MPI_INT, 1, where, count, MPI_INT, win));
    TRY(MPI_Win_flush(1, win));
}

int main(int argc, char **argv)
{
    int values[64] = {0};
    hostile_begin(&argc, &argv);
    MPI_Aint first = at(cells.before), attached = at(cells.attached), more = at(cells.more), after = at(cells.after);
    TRY(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    TRY(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    TRY(MPI_Win_lock_all(0, win));

    // Nothing is attached.
    MPI_Aint nowhere[] = {attached, 0, 4, (MPI_Aint)memory_end() - 4, (MPI_Aint)memory_end(), (MPI_Aint)0xf0000000u, -4, INT32_MIN, INT32_MAX};
    if (rank == 0)
        for (unsigned i = 0; i < sizeof nowhere / sizeof *nowhere; i++)
            refused(nowhere[i]);
    TRY(MPI_Barrier(MPI_COMM_WORLD));

    // A part is: nothing before it, behind it, or across its ends.
    if (rank == 1) {
        TRY(MPI_Win_attach(win, cells.attached, sizeof cells.attached));
        FAILS(MPI_Win_attach(win, cells.attached + 15, 8), MPI_ERR_RMA_ATTACH);
        REFUSED(MPI_Win_attach(win, near_end(8), 16));
        REFUSED(MPI_Win_attach(win, cells.after, -1));
        FAILS(MPI_Win_detach(win, cells.after), MPI_ERR_RMA_ATTACH);
        FAILS(MPI_Win_detach(win, cells.attached + 1), MPI_ERR_RMA_ATTACH);
    }
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 0) {
        put(attached, 16);
        refused(attached - 4);
        refused(attached - 2);
        refused(attached + 64);
        refused(attached + 62);
        for (unsigned i = 1; i < sizeof nowhere / sizeof *nowhere; i++)
            refused(nowhere[i]);
        FAILS(MPI_Put(values, 17, MPI_INT, 1, attached, 17, MPI_INT, win), MPI_ERR_RMA_RANGE);
        FAILS(MPI_Put_c(values, 1LL << 32, MPI_INT, 1, attached, 1LL << 32, MPI_INT, win), MPI_ERR_BUFFER);
        // A type that goes backwards, and one that is longer than all memories.
        MPI_Datatype back, far;
        TRY(MPI_Type_create_resized(MPI_INT, 0, -4, &back));
        TRY(MPI_Type_commit(&back));
        FAILS(MPI_Put(values, 2, MPI_INT, 1, attached, 2, back, win), MPI_ERR_RMA_RANGE);
        TRY(MPI_Put(values, 2, MPI_INT, 1, attached + 4, 2, back, win));
        TRY(MPI_Type_create_hvector_c(2, 1, 1LL << 40, MPI_INT, &far));
        TRY(MPI_Type_commit(&far));
        FAILS(MPI_Put(values, 2, MPI_INT, 1, attached, 1, far, win), MPI_ERR_RMA_RANGE);
        TRY(MPI_Type_free(&back));
        TRY(MPI_Type_free(&far));
    }
    TRY(MPI_Win_flush_all(win));
    TRY(MPI_Barrier(MPI_COMM_WORLD));

    // What is attached next to it belongs to the same piece of memory.
    if (rank == 1)
        TRY(MPI_Win_attach(win, cells.more, sizeof cells.more));
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 0) {
        put(attached, 32);
        refused(after);
    }
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 1) {
        CHECK_INT(cells.more[15], 1031);
        TRY(MPI_Win_detach(win, cells.attached));
    }
    TRY(MPI_Barrier(MPI_COMM_WORLD));

    // What was detached is nobody's to reach, though it was before.
    if (rank == 0) {
        refused(attached);
        FAILS(MPI_Put(values, 2, MPI_INT, 1, more - 4, 2, MPI_INT, win), MPI_ERR_RMA_RANGE);
        put(more, 16);
    }
    TRY(MPI_Barrier(MPI_COMM_WORLD));

    // Memory that the target did not have yet when the window was made; many attachments at once.
    MPI_Aint grown = at(rank == 1 ? sbrk(1 << 20) : NULL);
    if (rank == 0)
        refused(grown);
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 1)
        for (int i = 0; i < 300; i++)
            TRY(MPI_Win_attach(win, (char *)grown + 1000 * i, 500));
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 0) {
        for (int i = 0; i < 300; i += 13)
            put(grown + 1000 * i + 496, 1);
        refused(grown + 500);
        refused(grown + 300 * 1000);
    }
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 1)
        for (int i = 0; i < 300; i++)
            TRY(MPI_Win_detach(win, (char *)grown + 1000 * i));
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 0)
        refused(grown);

    // A rank's access to itself.
    FAILS(MPI_Put(values, 1, MPI_INT, rank, (MPI_Aint)cells.after, 1, MPI_INT, win), MPI_ERR_RMA_RANGE);
    TRY(MPI_Win_attach(win, cells.after, 8));
    TRY(MPI_Put(values, 1, MPI_INT, rank, (MPI_Aint)(cells.after + 1), 1, MPI_INT, win));
    FAILS(MPI_Put(values, 1, MPI_INT, rank, (MPI_Aint)(cells.after + 2), 1, MPI_INT, win), MPI_ERR_RMA_RANGE);
    FAILS(MPI_Put(values, 1, MPI_INT, size, (MPI_Aint)cells.after, 1, MPI_INT, win), MPI_ERR_RANK);
    FAILS(MPI_Put(values, 1, MPI_INT, -100, (MPI_Aint)cells.after, 1, MPI_INT, win), MPI_ERR_RANK);
    TRY(MPI_Win_unlock_all(win));
    for (int i = 0; i < 16; i++) {
        CHECK_INT(cells.before[i], 0);
        CHECK_INT(cells.after[i], 0);
    }
    CHECK(first < attached);
    TRY(MPI_Win_free(&win));

    // Memory is attached to no other kind of window.
    TRY(MPI_Win_create(values, sizeof values, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    TRY(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    FAILS(MPI_Win_attach(win, cells.after, 8), MPI_ERR_RMA_FLAVOR);
    FAILS(MPI_Win_detach(win, cells.after), MPI_ERR_RMA_FLAVOR);
    TRY(MPI_Win_free(&win));

    // An epoch with ranks that the window doesn't have.
    MPI_Group everybody;
    TRY(MPI_Comm_group(MPI_COMM_WORLD, &everybody));
    TRY(MPI_Win_create(values, sizeof values, 4, MPI_INFO_NULL, MPI_COMM_SELF, &win));
    TRY(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    FAILS(MPI_Win_post(everybody, 0, win), MPI_ERR_GROUP);
    FAILS(MPI_Win_start(everybody, 0, win), MPI_ERR_GROUP);
    TRY(MPI_Win_free(&win));
    TRY(MPI_Group_free(&everybody));
    return hostile_end();
}
