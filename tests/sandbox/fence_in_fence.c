// A user's operation that a window's synchronisation calls, for a reduction under way, synchronises the window itself: that is refused, and what
// goes on around it is not disturbed.
// engines: mpi
// ranks: 2
// native: no (MPICH crashes)
#include "hostile.h"

static MPI_Win window;
static int calls, inside, refused;

static void synchronise(int which)
{
    int outcome = MPI_SUCCESS;
    switch (which % 4) {
    case 0: outcome = MPI_Win_fence(0, window); break;
    case 1: outcome = MPI_Win_flush_all(window); break;
    case 2: outcome = MPI_Win_lock_all(0, window); break;
    default: outcome = MPI_Win_sync(window);
    }
    refused += outcome != MPI_SUCCESS;
}

static void operation(void *in, void *inout, int *length, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *length; i++)
        ((int *)inout)[i] += ((int *)in)[i];
    if (inside < 3) {
        inside++;
        synchronise(calls++);
        inside--;
    }
}

int main(int argc, char **argv)
{
    enum { ROUNDS = 8 };
    static int memory[1024];
    int one = 1, sum[ROUNDS];
    MPI_Op op;
    MPI_Request request;
    hostile_begin(&argc, &argv);
    TRY(MPI_Win_create(memory, sizeof memory, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &window));
    TRY(MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN));
    TRY(MPI_Op_create(operation, 1, &op));
    MPI_Win same = window;
    TRY(MPI_Win_lock_all(0, window));
    (void)MPI_Win_free(&same);
    TRY(MPI_Win_unlock_all(window));
    for (int round = 0; round < ROUNDS; round++) {
        TRY(MPI_Iallreduce(&one, &sum[round], 1, MPI_INT, op, MPI_COMM_WORLD, &request));
        TRY(MPI_Win_fence(0, window));
        TRY(MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, window));
        TRY(MPI_Win_fence(0, window));
        TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
        CHECK_INT(sum[round], size);
    }
    if (rank == 0)
        CHECK_INT(memory[0], ROUNDS * size);
    CHECK_INT(refused, calls);
    TRY(MPI_Win_free(&window));
    TRY(MPI_Op_free(&op));
    return hostile_end();
}
